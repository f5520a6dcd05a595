"""`fairdeal rules`: questions about the rules, answered in the terminal, or as one JSON object.

Cards are `S10` or `10♠`, suits `S` or `♠`; lists have commas or spaces; pairs, as `82,80`, are those of sides 0 and 1.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairdeal.cards import format_card_fr, parse_card
from fairdeal.cli.texts import find_language

if TYPE_CHECKING:
    from fairdeal.app.rules.counting import Step

app = typer.Typer(
    name="rules",
    help="Answer questions about the rules: what may be played, who wins, what a deal brings.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Game = Annotated[str, typer.Argument(help="A game, as `fairdeal rules list` names it.")]
_Trump = Annotated[str, typer.Option(help="The trump suit.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
_Lang = Annotated[str, typer.Option(help="fr or en; the locale's by default.", show_default=False)]
_OptionalSide = Annotated[int | None, typer.Option(min=0, max=1, show_default=False)]


@app.command("list")
def list_games(as_json: _Json = False, lang: _Lang = "") -> None:
    """List the games with their options, the presets and the score sheets."""
    from fairdeal.app import rules

    french, answer = _is_french(lang), rules.catalogue()
    if as_json:
        return _print_json(answer)
    typer.secho(rules.say("label_rulesets", french), bold=True)
    for game in answer.rulesets:
        options = []
        for one in game.options:
            choices = " | ".join(map(str, one.choices or ()))
            between = rules.say("label_from_to", french, minimum=one.minimum, maximum=one.maximum)
            options.append(f"{one.name} {choices or between} ({one.default})")
        players = rules.say("label_players", french, players=game.players)
        typer.echo(f"  {game.game:17} {players}; {'; '.join(options)}")
    typer.secho(rules.say("label_presets", french), bold=True)
    for preset in answer.presets:
        values = {**preset.options, **preset.duties, **preset.marking}
        typer.echo(f"  {preset.game:17} {preset.id}: {_values(values)}")
    typer.secho(rules.say("label_sheets", french), bold=True)
    for sheet in answer.sheets:
        typer.echo(f"  {sheet.game:17} capot {sheet.capot}")
    return None


def _values(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value, ensure_ascii=False).strip(chr(34))}" for name, value in values.items())


@app.command()
def legal(
    game: _Game,
    hand: Annotated[str, typer.Argument(help="The hand.")],
    trump: _Trump,
    trick: Annotated[str, typer.Option(help="The cards down, in the order played; nothing to lead.")] = "",
    phase: Annotated[str | None, typer.Option(help="In the duel: free or strict.", show_default=False)] = None,
    as_json: _Json = False,
    lang: _Lang = "",
) -> None:
    """Say which cards of a hand may be played on a trick, and why the others are refused."""
    from fairdeal.app import rules

    french = _is_french(lang)
    answer = rules.legal(game, trump, hand, trick, phase, french)
    if as_json:
        return _print_json(answer)
    typer.echo(rules.say("label_legal", french, cards=_cards(answer.legal, french)))
    for one in answer.refused:
        typer.echo(f"  ✗ {_cards([one.card], french):4} {one.text}")
    return None


@app.command()
def trick(
    game: _Game,
    cards: Annotated[str, typer.Argument(help="The cards in the order played.")],
    trump: _Trump,
    leader: Annotated[int, typer.Option(min=0, max=3, help="The seat that led.")] = 0,
    last: Annotated[bool, typer.Option("--last", help="It is the last trick, ten points more.")] = False,
    as_json: _Json = False,
    lang: _Lang = "",
) -> None:
    """Say who wins a trick, and what it is worth."""
    from fairdeal.app import rules

    french = _is_french(lang)
    answer = rules.trick(game, trump, cards, leader, last, french)
    if as_json:
        return _print_json(answer)
    typer.echo(f"{answer.text} {rules.say('label_points', french, points=answer.points)}.")
    return None


@app.command()
def bids(
    game: _Game,
    auction: Annotated[
        str, typer.Argument(help="What was said so far: pass, take, S; in the coinche 100S, capotH, coinche.")
    ] = "",
    turned: Annotated[str | None, typer.Option(help="The card turned up, if any.", show_default=False)] = None,
    dealer: Annotated[int | None, typer.Option(min=0, max=3, help="The dealer's seat.", show_default=False)] = None,
    as_json: _Json = False,
    lang: _Lang = "",
) -> None:
    """Say what may be said next in an auction."""
    from fairdeal.app import rules

    french = _is_french(lang)
    answer = rules.bids(game, auction, turned, dealer, french)
    if as_json:
        return _print_json(answer)
    typer.echo(answer.text)
    if answer.bids:
        typer.echo(rules.say("label_bids", french, words=" ".join(answer.bids)))
    return None


@app.command()
def announcements(
    hand: Annotated[str, typer.Argument(help="The eight cards as dealt.")],
    trump: Annotated[str | None, typer.Option(help="The trump suit, for the belote.", show_default=False)] = None,
    as_json: _Json = False,
    lang: _Lang = "",
) -> None:
    """Find the best that a hand announces."""
    from fairdeal.app import rules

    french, answer = _is_french(lang), rules.announcements(hand, trump)
    if as_json:
        return _print_json(answer)
    for one in answer.announcements:
        typer.echo(f"{one.kind:10}{one.value:>4}  {_cards(one.cards, french)}")
    if answer.announcements:
        typer.echo(rules.say("label_total", french, total=answer.total))
    else:
        typer.echo(rules.say("label_nothing", french))
    if answer.belote:
        typer.echo(rules.say("label_belote", french))
    return None


@app.command()
def count(
    game: _Game,
    taken: Annotated[str, typer.Argument(help="The cards that side 0 took.")],
    trump: _Trump,
    last_trick: Annotated[int, typer.Option(min=0, max=1, help="The side that won the last trick.")],
    other: Annotated[
        str | None, typer.Option(help="The cards of side 1; the rest unless told.", show_default=False)
    ] = None,
    as_json: _Json = False,
    lang: _Lang = "",
) -> None:
    """Count a deal from the cards taken: tricks, last trick, check."""
    from fairdeal.app import rules

    answer = rules.count(game, trump, taken, last_trick, other, _is_french(lang))
    if as_json:
        return _print_json(answer)
    _print_steps(answer.steps)
    return None


@app.command()
def marks(
    game: Annotated[str, typer.Argument(help="A game or a score sheet, as `fairdeal rules list` names it.")],
    taker: Annotated[int, typer.Option(min=0, max=1, help="The taker's side.")],
    points: Annotated[
        str | None, typer.Option(help="Points of both sides, the last trick's ten in them.", show_default=False)
    ] = None,
    cards: Annotated[
        str | None, typer.Option(help="Instead: the cards of both sides, with --last-trick.", show_default=False)
    ] = None,
    last_trick: _OptionalSide = None,
    tricks: Annotated[str | None, typer.Option(help="Needed when a side has every point.", show_default=False)] = None,
    belote: _OptionalSide = None,
    announcements: Annotated[str | None, typer.Option(help="What they bring.", show_default=False)] = None,
    pot: Annotated[int, typer.Option(min=0, help="What earlier litiges left.")] = 0,
    bid: Annotated[str | None, typer.Option(help="80 to 180, or capot.", show_default=False)] = None,
    double: Annotated[str | None, typer.Option(help="coinche or surcoinche.", show_default=False)] = None,
    scoring: Annotated[str | None, typer.Option(help="faits or faits+demandés.", show_default=False)] = None,
    rounding: Annotated[bool, typer.Option("--rounding", help="On a score sheet: to the nearest ten.")] = False,
    as_json: _Json = False,
    lang: _Lang = "",
) -> None:
    """Say what a deal brings, the five steps of counting spelled out."""
    from fairdeal.app import rules

    french = _is_french(lang)
    line = rules.Line(
        game=game,
        taker=taker,
        points=points,
        cards=cards,
        last_trick=last_trick,
        tricks=tricks,
        belote=belote,
        announcements=announcements,
        pot=pot,
        bid=bid,
        double=double,
        scoring=scoring,
        rounding=rounding,
    )
    answer = rules.marks(line, french)
    if as_json:
        return _print_json(answer)
    _print_steps(answer.steps)
    sides = (f"{rules.say('label_side', french, side=side)} {written}" for side, written in enumerate(answer.marks))
    pot_left = f"  {rules.say('label_pot', french, pot=answer.pot)}" if answer.pot else ""
    outcome = rules.say(f"outcome_{answer.outcome}", french)
    typer.secho(f"{outcome}  {' – '.join(sides)}{pot_left}", bold=True)
    return None


def _is_french(lang: str) -> bool:
    return find_language(lang) == "fr"


def _print_json(answer: Any) -> None:
    typer.echo(json.dumps(asdict(answer), ensure_ascii=False))


def _print_steps(steps: "Iterable[Step]") -> None:
    for step in steps:
        typer.echo(f"{step.number}. {step.text}")


def _cards(cards: Iterable[str], french: bool) -> str:
    return " ".join(format_card_fr(parse_card(card)) if french else card for card in cards)
