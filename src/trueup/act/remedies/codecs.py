"""In which encoding was this file written, when it is not UTF-8? An answer only if there is no other.

Bytes alone never prove an encoding. What decides here is what a writer of each would hardly produce: the two-byte
encodings by the rows that everyday text uses, the one-byte ones by how their letters stand among ASCII letters.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping

_ENOUGH = 0.9
"""So much of what is not ASCII has to be everyday text."""

_FEW = 4
"""Fewer characters, or fewer different letters, say nothing."""

_BOMS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

_HANZI = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴切宝页抓爬虫输出入据库户密码错误文件参数返回值列表测试配置下载链接类函数变量添加删除修改查询保存载页面内容标题时间"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員資料庫連線設定檔案讀取模組程式網頁輸入錯誤參數傳測試下載類函變增刪除修改查詢儲存標題戶帳號密碼"
)
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LATIN = re.compile("[àâäáãåæçèéêëìíîïñòóôöõøùúûüýÿßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØÙÚÛÜÝ«»°©®§£€–—‘’“”…•·¿¡×ºª\u00a0]")
_EASTERN = frozenset(b"\x8c\x8d\x8f\x9a\x9c\x9d\x9e\x9f\xa3\xa5\xb3\xb9\xbc\xbe\xbf\xca\xea")
"""Bytes that are common Polish, Czech or Hungarian letters in another code page."""
_SINGLE = 1.7
"""In a Western text a letter with an accent mostly stands alone among ASCII letters; two in a row are seldom."""


def decoded(content: bytes) -> str | None:
    """The text of bytes that are not UTF-8; None when it could be more than one, or is none at all."""
    for mark, name in _BOMS:
        if content.startswith(mark):
            return _strictly(content, name)
    if b"\0" in content:
        return _utf16(content)
    fitting = [name for name, fits in _LIKELY.items() if fits(content)]
    texts = {_strictly(content, name) for name in fitting}
    return texts.pop() if len(texts) == 1 else None


def is_utf8(content: bytes) -> bool:
    return _strictly(content, "utf-8") is not None


def _strictly(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None


def _utf16(content: bytes) -> str | None:
    """Without a mark: every other byte of ASCII text is zero."""
    if len(content) % 2:
        return None
    even, odd = content[::2].count(0), content[1::2].count(0)
    name = "utf-16-le" if odd > len(content) * 0.4 and not even else "utf-16-be"
    if name == "utf-16-be" and not (even > len(content) * 0.4 and not odd):
        return None
    return _strictly(content, name)


# --- two bytes for a character ----------------------------------------------------------------------------------


def _foreign(content: bytes, name: str) -> str:
    """The characters beyond ASCII, "" when it is not this encoding at all."""
    text = _strictly(content, name)
    return "" if text is None else "".join(char for char in text if char > "\x7f")


def _share(text: str, everyday: Callable[[str], bool]) -> float:
    return sum(map(everyday, text)) / len(text) if text else 0.0


def _is_chinese(content: bytes) -> bool:
    """The first level of GB 2312 (rows 16 to 55) and punctuation; and some of the most frequent characters."""
    text = _foreign(content, "gbk")
    if not text or _share(text, lambda c: _row_of(c, "gbk") in _GB_ROWS) < _ENOUGH:
        return False
    return any(char in _HANZI for char in text) and not _mostly(text, _KANA) and not _is_korean(content)


def _is_traditional(content: bytes) -> bool:
    """The first level of Big5 (rows A4 to C6) and punctuation; and some of the most frequent characters."""
    text = _foreign(content, "big5")
    if len(text) < _FEW or _share(text, lambda c: c.encode("big5")[0] in _BIG5_ROWS) < _ENOUGH:
        return False
    return _share(text, _TRADITIONAL.__contains__) >= 0.2 and not _is_korean(content)  # noqa: PLR2004 - as in Korean


_BIG5_ROWS = range(0xA1, 0xC7)
_GB_ROWS = frozenset((*range(0xA1, 0xA4), *range(0xB0, 0xD8)))
_KR_ROWS = frozenset((*range(0xA1, 0xA4), *range(0xB0, 0xC9)))


def _row_of(char: str, name: str) -> int:
    encoded = char.encode(name)
    return encoded[0] if len(encoded) == 2 and encoded[1] >= 0xA1 else 0  # noqa: PLR2004 - a byte of GB 2312


def _is_korean(content: bytes) -> bool:
    """Everyday Korean is Hangul; the same bytes hold frequent Chinese characters only by chance."""
    text = _foreign(content, "euc_kr")
    if (
        len(_HANGUL.findall(text)) < _FEW
        or _share(text, lambda c: bool(_HANGUL.match(c)) or _row_of(c, "euc_kr") in _KR_ROWS) < _ENOUGH
    ):
        return False
    chinese = _foreign(content, "gbk")
    return _share(chinese, _HANZI.__contains__) < 0.2  # noqa: PLR2004 - an everyday Chinese text has twice as many


def _is_shift_jis(content: bytes) -> bool:
    text = _foreign(content, "cp932")
    return bool(text) and _is_japanese(text) and not _strictly(content, "euc_jp")


def _is_euc_jp(content: bytes) -> bool:
    text = _foreign(content, "euc_jp")
    return bool(text) and _is_japanese(text)


def _is_japanese(text: str) -> bool:
    """No Japanese sentence is without kana, and half-width ones are what other encodings look like."""
    return _mostly(text, _KANA) and not re.search("[\uff61-\uff9f]", text)


def _mostly(text: str, pattern: re.Pattern[str]) -> bool:
    return len(pattern.findall(text)) >= 0.3 * len(text)


# --- one byte for a character -----------------------------------------------------------------------------------


def _runs(content: bytes) -> list[bytes]:
    return _HIGH_RUN.findall(content)


def _is_western(content: bytes) -> bool:
    runs = _runs(content)
    if not runs or sum(map(len, runs)) / len(runs) > _SINGLE or _EASTERN.intersection(content):
        return False
    text = _foreign(content, "cp1252")
    return bool(text) and _share(text, lambda char: bool(_LATIN.match(char))) >= 1.0


def _is_cyrillic(content: bytes, name: str, small: range) -> bool:
    """Whole words are beyond ASCII, and most of their letters are small: that tells the code pages apart."""
    letters = b"".join(run for run in _runs(content) if len(run) > 1)
    runs = _runs(content)
    if len(set(letters)) < _FEW or sum(map(len, runs)) / len(runs) < 2.5:  # noqa: PLR2004 - letters of a Russian word, on average more
        return False
    share = sum(byte in small for byte in letters) / len(letters)
    return share > 0.75 and bool(_foreign(content, name)) and not _is_chinese(content)  # noqa: PLR2004


_LIKELY: Mapping[str, Callable[[bytes], bool]] = {
    "gb18030": _is_chinese,
    "cp950": _is_traditional,
    "euc_kr": _is_korean,
    "cp932": _is_shift_jis,
    "euc_jp": _is_euc_jp,
    "cp1252": _is_western,
    "cp1251": lambda content: _is_cyrillic(content, "cp1251", range(0xE0, 0x100)),
    "koi8_r": lambda content: _is_cyrillic(content, "koi8_r", range(0xC0, 0xE0)),
}
