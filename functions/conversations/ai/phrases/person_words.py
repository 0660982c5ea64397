"""The words of person_words.toml, and patterns of scripts without blanks between words."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict


class PersonWords(BaseModel):
    """The words of one language, comma-separated phrases; person_words.toml explains them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    asks: str
    talks: str
    people: str
    connects: str
    humans: str
    negations: str
    without: str
    whys: str = ""
    own: str = ""
    alone: str = ""


@cache
def words_by_language() -> Mapping[str, PersonWords]:
    """Return the words of all languages."""
    read = resources.files(__package__).joinpath("person_words.toml").read_text("utf-8")
    return {name: PersonWords.model_validate(row) for name, row in tomllib.loads(read).items()}


# Patterns of clauses. A noun may have an ending.
_PEOPLE_JA = (
    r"(?:人間|人|担当者?(?:の方)?|係の?(?:人|者|方)|オペレーター|スタッフ|有人(?:対応|チャット)?)"
)
_PEOPLE_ZH = r"(?:人工(?!智能|费|費|成本|湖)|真人|真正的人|活人|客服(?:人员|人員)?|工作人员|工作人員|人类|人類|专员|專員)"
_PEOPLE_KO = r"(?:상담원|상담사|상담 직원|사람|직원|담당자|매니저)"
_PEOPLE_TH = r"(?:คน|เจ้าหน้าที่|พนักงาน|แอดมิน|มนุษย์|ผู้จัดการ)"
UNSPACED: tuple[str, ...] = (
    rf"{_PEOPLE_JA}(?:と|に|へ|を)(?:直接)?(?:お?話|はな|つな|繋|代わ|かわ|替わ|変わ|お願い|呼|相談|出し)",
    rf"(?:转|轉|找|要|接|叫|换|換|需要|跟|和|與|与|联系|聯繫|连|請)[^，。,.!?！？]{{0,6}}?{_PEOPLE_ZH}",
    rf"^{_PEOPLE_ZH}(?:服务|服務)?$",
    rf"{_PEOPLE_KO}(?:이랑|랑|과|와|하고|한테|에게|을|를|으로|로)?\s?(?:직접\s?)?(?:통화|연결|이야기|얘기|대화|말하|말씀|바꿔|불러|상담)",
    rf"(?:คุย|พูด|ติดต่อ|ขอสาย|โอนสาย|สนทนา|เรียก|ตาม)[^ ]{{0,6}}?\s?{_PEOPLE_TH}",
)
UNSPACED_NEGATIONS = r"(?:(?<!つ)ない|なく|不要|いりません|必要(?:は)?ありません|ません(?!か))|[不别別没沒](?!能|可以)|않|안\s|없|말아|마세요|마시|싫|ไม่|อย่า"
