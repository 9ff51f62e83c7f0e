//! Names of months and weekdays in the languages that logs are found in.
//!
//! Names are compared in lower case; accented letters are compared as written, in UTF-8.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::digits::{byte, one_or_two};

/// Longest name, in bytes of UTF-8.
const LONGEST_NAME: usize = 20;

/// The month of an English abbreviation: the spelling of nearly all logs, so it is tried first.
#[inline]
pub(crate) fn month_name(bytes: &[u8], at: usize) -> Option<u8> {
    let &[a, b, c] = bytes.get(at..)?.first_chunk::<3>()?;
    Some(match &[a | 0x20, b | 0x20, c | 0x20] {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        _ => return None,
    })
}

/// The month named here in any language, and the position after its name and an abbreviation point.
#[inline]
pub(crate) fn month(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    if let Some(month) = month_name(bytes, at)
        && !is_letter(byte(bytes, at + 3))
    {
        return Some((month, at + 3 + usize::from(byte(bytes, at + 3) == b'.')));
    }
    if byte(bytes, at).is_ascii_digit() {
        return numbered_month(bytes, at);
    }
    let (word, length) = lower_word(bytes, at)?;
    let end = at + length;
    let month = NAMES.get(&word[..length])?.month?;
    Some((month, end + usize::from(byte(bytes, end) == b'.')))
}

/// The number of a month and the word for it, as Chinese, Japanese and Korean abbreviate months: `2月`.
#[cold]
fn numbered_month(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let (month, end) = one_or_two(bytes, at)?;
    let word = ["月", "월"].into_iter().find(|word| bytes[end..].starts_with(word.as_bytes()))?;
    (1..=12).contains(&month).then_some((month, end + word.len()))
}

/// The position after the name of a weekday and the comma or point that follows it.
#[inline]
pub(crate) fn after_weekday(bytes: &[u8], at: usize) -> Option<usize> {
    let (word, length) = lower_word(bytes, at)?;
    if !matches!(&word[..length], b"mon" | b"tue" | b"wed" | b"thu" | b"fri" | b"sat" | b"sun")
        && !NAMES.get(&word[..length])?.weekday
    {
        return None;
    }
    let mut end = at + length;
    end += usize::from(byte(bytes, end) == b'.');
    Some(end + usize::from(byte(bytes, end) == b','))
}

/// The position after the word that begins here.
#[inline]
pub(crate) fn word_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take(LONGEST_NAME + 1).take_while(|&&byte| is_letter(byte)).count()
}

#[inline]
pub(crate) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

#[inline]
fn lower_word(bytes: &[u8], at: usize) -> Option<([u8; LONGEST_NAME], usize)> {
    let length = word_end(bytes, at) - at;
    if !(2..=LONGEST_NAME).contains(&length) {
        return None;
    }
    let mut word = [0; LONGEST_NAME];
    word[..length].copy_from_slice(&bytes[at..at + length]);
    word.make_ascii_lowercase();
    Some((word, length))
}

/// The meaning of a name. Some have two: `mar` is March, and Tuesday in French.
#[derive(Clone, Copy, Default)]
struct Meaning {
    month: Option<u8>,
    weekday: bool,
}

static NAMES: LazyLock<HashMap<&'static [u8], Meaning>> = LazyLock::new(|| {
    let mut names: HashMap<&[u8], Meaning> = HashMap::new();
    for (month, list) in (1..).zip(MONTHS) {
        for name in list.split(' ') {
            names.entry(name.as_bytes()).or_default().month = Some(month);
        }
    }
    for name in WEEKDAYS.iter().flat_map(|list| list.split(' ')) {
        names.entry(name.as_bytes()).or_default().weekday = true;
    }
    names
});

/// English, German, French, Spanish, Italian, Portuguese, Dutch, Danish, Norwegian, Swedish, Finnish,
/// Polish, Czech, Hungarian, Romanian, Turkish, Indonesian, Russian and Chinese, long and short, each name once.
const MONTHS: [&str; 12] = [
    "january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari tammikuu tammi tammikuuta styczeń stycznia sty leden ledna led január ianuarie ian ocak oca январь января янв 一月",
    "february feb februar feber février fevrier févr fév fevr febrero febbraio fevereiro fev februari helmikuu helmi helmikuuta luty lutego lut únor února úno február febr februarie şubat şub pebruari февраль февраля фев февр 二月",
    "march mar märz mär mrz maerz mars marzo março maart mrt marts maaliskuu maalis maaliskuuta marzec marca březen března bře március márc martie mart maret март марта мар 三月",
    "april apr avril avr abril abr aprile huhtikuu huhti huhtikuuta kwiecień kwietnia kwi duben dubna dub április ápr aprilie nisan nis апрель апреля апр 四月",
    "may mai mayo maggio mag maio mei maj toukokuu touko toukokuuta maja květen května kvě május máj mayıs май мая 五月",
    "june jun juni juin junio giugno giu junho kesäkuu kesä kesäkuuta czerwiec czerwca cze červen června čvn június jún iunie iun haziran haz июнь июня июн 六月",
    "july jul juli juillet juil julio luglio lug julho heinäkuu heinä heinäkuuta lipiec lipca lip červenec července čvc július júl iulie iul temmuz tem июль июля июл 七月",
    "august aug août aout agosto ago augustus augusti elokuu elo elokuuta sierpień sierpnia sie srpen srpna srp augusztus ağustos ağu agustus agu август августа авг 八月",
    "september sep sept septembre septiembre setiembre set settembre setembro syyskuu syys syyskuuta wrzesień września wrz září zář szeptember szept septembrie eylül eyl сентябрь сентября сен сент 九月",
    "october oct oktober okt octobre octubre ottobre ott outubro out lokakuu loka lokakuuta październik października paź říjen října říj október octombrie ekim eki октябрь октября окт 十月",
    "november nov novembre noviembre novembro marraskuu marras marraskuuta listopad listopada lis lst noiembrie noi kasım kas nopember ноябрь ноября ноя нояб 十一月",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro desember des joulukuu joulu joulukuuta grudzień grudnia gru prosinec prosince pro decembrie aralık ara декабрь декабря дек 十二月",
];

/// The same languages. Short names of two letters are read where logs have them (German, Dutch, Russian).
const WEEKDAYS: [&str; 7] = [
    "mon monday mo montag lundi lun lunes lunedì segunda seg maandag ma mandag man måndag mån maanantai poniedziałek pon pondělí po hétfő luni pazartesi пн понедельник",
    "tue tues tuesday di dienstag mardi mar martes martedì terça ter dinsdag tirsdag tir tisdag tis tiistai ti wtorek wto úterý út kedd marți salı вт вторник",
    "wed wednesday mi mittwoch mercredi mer miércoles mié mercoledì quarta qua woensdag wo onsdag ons keskiviikko ke środa śro středa st szerda miercuri çarşamba ср среда",
    "thu thur thurs thursday do donnerstag jeudi jeu jueves jue giovedì gio quinta qui donderdag torsdag tor tors torstai to czwartek czw čtvrtek čt csütörtök joi perşembe чт четверг",
    "fri friday fr freitag vendredi ven viernes vie venerdì sexta sex vrijdag vr fredag fre perjantai pe piątek pią pátek pá péntek vineri cuma пт пятница",
    "sat saturday sa samstag sonnabend samedi sam sábado sáb sabato sab zaterdag za lørdag lør lördag lör lauantai la sobota sob so szombat sâmbătă cumartesi сб суббота",
    "sun sunday so sonntag dimanche dim domingo dom domenica zondag zo søndag søn söndag sön sunnuntai su niedziela nie neděle ne vasárnap duminică pazar вс воскресенье",
];
