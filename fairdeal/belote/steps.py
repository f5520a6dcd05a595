"""The steps from action to action that are the same in every ruleset; a game adds its deal, words, duties and score."""

from abc import ABC, abstractmethod
from typing import ClassVar, Final

from fairdeal.belote.actions import Action, Play, Reason, Says, plays, refuse
from fairdeal.belote.deal import Deal, announcement, check_claim, played_card
from fairdeal.belote.scoring import VOID_SCORE, DealScore
from fairdeal.errors import WrongPhase

_OUTSIDE: Final = "the outside view does not know the hands"


class Steps(ABC):
    """What may be done, what is announced with it, and the deal after it, for any number of seats."""

    players: ClassVar[int]

    @abstractmethod
    def bids(self, deal: Deal) -> tuple[Action, ...]:
        """What the seat on turn may say while the bidding lasts, in canonical order, pass first."""

    @abstractmethod
    def after_word(self, deal: Deal, action: Action) -> Deal:
        """The deal after a word that may be said."""

    @abstractmethod
    def legal_cards(self, deal: Deal, hand: int, trump: int) -> int:
        """The cards of the hand on turn (a set) that may be played on the trick; `trump` is the deal's."""

    @abstractmethod
    def broken_duty(self, deal: Deal, hand: int, card: int) -> Reason:
        """Which duty a held but illegal card of the hand on turn breaks."""

    @abstractmethod
    def marked(self, deal: Deal, taker: int) -> DealScore:
        """The score of a played deal."""

    def next_dealer(self, dealer: int) -> int:
        """The dealer of the deal that follows, a void one too."""
        return (dealer + 1) % self.players

    def actions(self, deal: Deal) -> tuple[Action, ...]:
        """What the seat on turn may do, in canonical order; nothing when the deal is over.

        Raises WrongPhase in the outside view once cards are played: it does not know the hands.
        """
        turn, trump, hands = deal.turn, deal.trump, deal.hands
        if turn is None:
            return ()
        if trump is None:
            return self.bids(deal)
        if hands is None:
            raise WrongPhase(_OUTSIDE)
        return plays(self.legal_cards(deal, hands[turn], trump))

    def first_action(self, deal: Deal) -> Action:
        """What is done for a seat whose time is over: pass, or the first legal card. Raises WrongPhase as `actions`."""
        actions = self.actions(deal)
        if not actions:
            raise WrongPhase("the deal is over")
        return actions[0]

    def check(self, deal: Deal, action: Action) -> None:
        """Raises IllegalAction, with the reason, unless the seat on turn may do this.

        In the outside view only what is public is checked: phase, bid, and that the card was not played before.
        """
        turn, trump, hands = deal.turn, deal.trump, deal.hands
        if turn is None:
            refuse(Reason.DEAL_OVER)
        if not isinstance(action, Play):
            self.check_word(deal, action)
            return
        if trump is None:
            refuse(Reason.NOT_PLAYING)
        card = action.card
        if hands is None:
            if deal.played >> card & 1:
                refuse(Reason.NOT_IN_HAND)
            return
        hand = hands[turn]
        if not hand >> card & 1:
            refuse(Reason.NOT_IN_HAND)
        if not self.legal_cards(deal, hand, trump) >> card & 1:
            refuse(self.broken_duty(deal, hand, card))

    def check_word(self, deal: Deal, action: Action) -> None:
        """Raises IllegalAction, with the reason, unless the seat on turn may say this."""
        if deal.trump is not None:
            refuse(Reason.NOT_BIDDING)
        if action not in self.bids(deal):
            refuse(Reason.BID_NOT_ALLOWED)

    def says(self, deal: Deal, action: Action) -> Says | None:
        """What the rules announce by themselves with this action of the seat on turn.

        Raises WrongPhase in the outside view, where it depends on the hidden hand.
        """
        turn, trump, hands = deal.turn, deal.trump, deal.hands
        if hands is None:
            raise WrongPhase(_OUTSIDE)
        if turn is None or trump is None or not isinstance(action, Play):
            return None
        return announcement(hands[turn], action.card, trump, deal.belote == turn)

    def apply(self, deal: Deal, action: Action) -> Deal:
        """The deal after an action of the seat on turn. Raises IllegalAction as `check`; WrongPhase from outside."""
        self.check(deal, action)
        says = self.says(deal, action)
        if isinstance(action, Play):
            return played_card(deal, action.card, says, self.players)
        return self.after_word(deal, action)

    def apply_public(self, deal: Deal, action: Action, says: Says | None) -> Deal:
        """The deal after an action and what an event says was announced with it; made for the outside view.

        Raises IllegalAction as `check`, and for an announcement that no hidden hand could explain.
        """
        self.check(deal, action)
        check_claim(deal, action, says)
        if isinstance(action, Play):
            return played_card(deal, action.card, says, self.players)
        return self.after_word(deal, action)

    def score(self, deal: Deal) -> DealScore:
        """The score of a deal that is over, without the pot of earlier litiges. Raises WrongPhase before that."""
        if deal.turn is not None:
            raise WrongPhase("the deal is not over")
        return VOID_SCORE if deal.taker is None else self.marked(deal, deal.taker)
