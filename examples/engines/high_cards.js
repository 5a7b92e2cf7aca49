// The engine of high_cards.py in JavaScript; it needs nothing but Node.js.
// spades evaluate "engine:node examples/engines/high_cards.js" random
"use strict";

const RANKS = "23456789TJQKA";

const rank = (card) => RANKS.indexOf(card[0]);

// A king or an ace, or a spade from the ten up.
const isHigh = (card) => rank(card) >= RANKS.indexOf(card[1] === "S" ? "T" : "K");

// How a card does in a trick in which `led` is the suit to follow: the greater number wins.
const strength = (card, led) => (card[1] === "S" ? 26 : card[1] === led ? 13 : 0) + rank(card);

// Whether a card beats every card of the trick, a list of [seat, card].
function takesTrick(card, trick) {
  const led = trick.length ? trick[0][1][1] : card[1];
  return trick.every(([, other]) => strength(card, led) > strength(other, led));
}

// One of the legal actions.
function choose(legal, view) {
  switch (view.phase) {
    case "BLIND":
      return "LOOK";
    case "DRAFT":
      return isHigh(view.draft.at(-1)) ? "KEEP" : "REJECT";
    case "EXCHANGE":
      return "DONE";
    case "BID":
      return `BID_${Math.max(view.hand.filter(isHigh).length, 1)}`;
  }
  const bid = Number(view.bids[view.seat].replace("BID_", "")); // NaN for BLIND_NIL, which needs no tricks
  const winning = legal.filter((card) => takesTrick(card, view.trick));
  const cards = winning.length && view.tricks[view.seat] < bid ? winning : legal;
  return cards.reduce((lowest, card) => (rank(card) < rank(lowest) ? card : lowest));
}

function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "hello", protocol: "spades-engine", version: 1, name: "high cards (JavaScript)" };
    case "match":
      return { type: "ok" };
    case "act":
      return { type: "action", action: choose(message.legal, message.view) };
    default:
      return { type: "error", message: `unknown type ${message.type}` };
  }
}

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "quit") process.exit(0);
    process.stdout.write(JSON.stringify(answer(message)) + "\n");
  });
