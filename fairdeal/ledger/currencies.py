"""How many decimals the smallest unit of a currency has (ISO 4217, list one): a wrong one would multiply every amount.

Codes that are none of these are an operator's own, such as play money, with whatever decimals it says.
"""

from collections.abc import Mapping
from typing import Final

from fairdeal.errors import Malformed

_BY_DECIMALS: Final = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW"
    " CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR"
    " ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV"
    " MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD"
    " SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
DECIMALS: Final[Mapping[str, int]] = {
    code: decimals for decimals, codes in _BY_DECIMALS.items() for code in codes.split()
}
"""By code; without metals, funds' units and what has no minor unit."""


def check_exponent(code: str, exponent: int) -> None:
    """Raises Malformed when the code is a currency of ISO 4217 whose smallest unit has other decimals."""
    decimals = DECIMALS.get(code, exponent)
    if exponent != decimals:
        raise Malformed(f"{code} has {decimals} decimals (ISO 4217), not {exponent}")
