/* The engine of high_cards.py in C. It reads what it needs from the text of a message, without a JSON library: the
 * host writes no spaces between the parts of a message, and the fields of a view in the order of the documentation.
 *
 * cc -O2 -o high_cards examples/engines/high_cards.c
 * spades evaluate engine:./high_cards random
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = 8, KING = 11, SPADES = 3, MOST = 64 };

static const char RANKS[] = "23456789TJQKA", SUITS[] = "CDHS";

static int rank_of(int card) { return card % 13; }
static int suit_of(int card) { return card / 13; }

static int card_named(const char *name)
{
    const char *rank = strchr(RANKS, name[0]), *suit = strchr(SUITS, name[1]);
    return rank && suit ? (int)(13 * (suit - SUITS) + (rank - RANKS)) : -1;
}

/* The text at which the value of a field begins; empty if there is no such field. */
static const char *field(const char *text, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(text, key);
    return found ? found + strlen(key) : "";
}

static bool equals(const char *value, const char *text)
{
    size_t length = strlen(text);
    return value[0] == '"' && strncmp(value + 1, text, length) == 0 && value[length + 1] == '"';
}

/* The cards named anywhere in a list, or in a list of lists; returns how many. */
static int cards_in(const char *list, int *cards)
{
    int depth = 0, count = 0;
    for (; *list; list++) {
        depth += (*list == '[') - (*list == ']');
        if (depth == 0)
            break;
        if (*list == '"') {
            if (count < MOST)
                cards[count++] = card_named(list + 1);
            list = strchr(list + 1, '"');
        }
    }
    return count;
}

/* The item of a list without commas in its items. */
static const char *item(const char *list, int index)
{
    const char *at = *list ? list + 1 : list;
    for (; index > 0; index--) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return at;
}

static bool is_high(int card) { return rank_of(card) >= (suit_of(card) == SPADES ? TEN : KING); }

/* How a card does in a trick in which `led` is the suit to follow: the greater number wins. */
static int strength(int card, int led)
{
    return (suit_of(card) == SPADES ? 26 : suit_of(card) == led ? 13 : 0) + rank_of(card);
}

static bool takes_trick(int card, const int *trick, int played)
{
    for (int k = 0; k < played; k++)
        if (strength(card, suit_of(trick[0])) <= strength(trick[k], suit_of(trick[0])))
            return false;
    return true;
}

static int lowest(const int *cards, int count)
{
    int best = cards[0];
    for (int k = 1; k < count; k++)
        if (rank_of(cards[k]) < rank_of(best))
            best = cards[k];
    return best;
}

/* Write the name of the action for a message of type "act". */
static void choose(const char *message, char *name, size_t size)
{
    const char *view = field(message, "view"), *phase = field(view, "phase");
    int legal[MOST], hand[MOST], trick[MOST], winning[MOST], wins = 0, high = 0;
    if (equals(phase, "BLIND") || equals(phase, "EXCHANGE")) {
        snprintf(name, size, equals(phase, "BLIND") ? "LOOK" : "DONE");
        return;
    }
    if (equals(phase, "DRAFT")) {
        const char *end = strchr(field(view, "draft"), ']'); /* the card just drawn is the last item */
        snprintf(name, size, is_high(card_named(end - 3)) ? "KEEP" : "REJECT");
        return;
    }
    if (equals(phase, "BID")) {
        int held = cards_in(field(view, "hand"), hand);
        for (int k = 0; k < held; k++)
            high += is_high(hand[k]);
        snprintf(name, size, "BID_%d", high > 1 ? high : 1);
        return;
    }
    int seat = atoi(field(view, "seat")), bid = 0;
    sscanf(item(field(view, "bids"), seat), "\"BID_%d\"", &bid);
    int tricks = atoi(item(field(view, "tricks"), seat));
    int count = cards_in(field(message, "legal"), legal), played = cards_in(field(view, "trick"), trick);
    for (int k = 0; k < count; k++)
        if (takes_trick(legal[k], trick, played))
            winning[wins++] = legal[k];
    int card = wins && tricks < bid ? lowest(winning, wins) : lowest(legal, count);
    snprintf(name, size, "%c%c", RANKS[rank_of(card)], SUITS[suit_of(card)]);
}

int main(void)
{
    char *line = NULL, name[16];
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = field(line, "type");
        if (equals(type, "quit"))
            break;
        if (equals(type, "hello"))
            puts("{\"type\":\"hello\",\"protocol\":\"spades-engine\",\"version\":1,\"name\":\"high cards (C)\"}");
        else if (equals(type, "match"))
            puts("{\"type\":\"ok\"}");
        else if (equals(type, "act")) {
            choose(line, name, sizeof name);
            printf("{\"type\":\"action\",\"action\":\"%s\"}\n", name);
        } else
            puts("{\"type\":\"error\",\"message\":\"unknown type\"}");
        fflush(stdout);
    }
    free(line);
    return 0;
}
