def prepare_training() -> None:
    pass
