// Letters of other scripts that look like Latin ones, after Unicode's confusables. https://www.unicode.org/reports/tr39/#Confusable_Detection
const rows: readonly (readonly [plain: string, others: string])[] = [
  // Cyrillic, Greek, Armenian, Cherokee, IPA and small capitals, in this order where there are some.
  ['a', 'аӑӓαɑᴀАΑᎪ'],
  ['b', 'ьЬВвΒβƄʙᏴᏏ'],
  ['c', 'сСϲᴄᏟƈⅽ'],
  ['d', 'ԁԀɗժᎠᴅ'],
  ['e', 'еЕєҽεΕϵҿɛᎬᴇ℮ə'],
  ['f', 'ƒϝғքꞙſ'],
  ['g', 'ɡԌցɢᏀᶃ'],
  ['h', 'һҺНнΗհᏂᎻʜ'],
  ['i', 'іІїιΙɩıӀӏᎥɪ'],
  ['j', 'јЈϳյᎫᴊ'],
  ['k', 'кКκΚᏦᴋҝ'],
  ['l', 'ⅼլʟᏞ'],
  ['m', 'мМΜϻᎷᴍ'],
  ['n', 'пΝηոռɴ'],
  ['o', 'оОοΟσօՕᴏӧ०٥'],
  ['p', 'рРρΡᏢᴘ'],
  ['q', 'ԛԚզգ'],
  ['r', 'гɾᎡᏒʀ'],
  ['s', 'ѕЅꜱᏚʂՏ'],
  ['t', 'тТτΤᎢᴛ'],
  ['u', 'υսʋᴜՍ'],
  ['v', 'ѵѴνᏙᴠ'],
  ['w', 'ԝԜшωѡաᴡᎳ'],
  ['x', 'хХχΧҳ'],
  ['y', 'уУүγΥҮყʏ'],
  ['z', 'ΖᏃᴢʐ'],
]

const plainOf = new Map(rows.flatMap(([plain, others]) => [...others].map((other) => [other, plain] as const)))

/** The Latin letter that people may take it for. */
export const latinLookAlike = (character: string): string | undefined => plainOf.get(character)
