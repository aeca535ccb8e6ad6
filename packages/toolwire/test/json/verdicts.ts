import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder } from '../data.js'

export type Verdict = 'accept' | 'refuse'

const folder = join(dataFolder('json'), 'files')

/** Every file of the corpus, with its name, its bytes and the verdict that all entry points must give. */
export function corpus(): { name: string; bytes: Uint8Array; verdict: Verdict }[] {
  return readdirSync(folder).map((name) => ({
    name,
    bytes: new Uint8Array(readFileSync(join(folder, name))),
    verdict: verdictOf(name),
  }))
}

/** The verdict of the corpus (y_ is valid, n_ is invalid), except where we are stricter or the corpus leaves the choice. */
export function verdictOf(name: string): Verdict {
  const decided = stricter[name] ?? open[name]
  if (decided) return decided
  if (name.startsWith('y_')) return 'accept'
  if (name.startsWith('n_')) return 'refuse'
  throw new Error(`no verdict for ${name}`)
}

/** Valid JSON that is refused nevertheless: parsers disagree about duplicate keys, and a negative zero loses its sign. */
export const stricter: Record<string, Verdict> = {
  'y_object_duplicated_key.json': 'refuse',
  'y_object_duplicated_key_and_value.json': 'refuse',
  'y_number_minus_zero.json': 'refuse',
  'y_number_negative_zero.json': 'refuse',
}

/** Cases that the standard leaves open. */
export const open: Record<string, Verdict> = {
  // A number that underflows would be written again as 0, and one that overflows as null.
  'i_number_double_huge_neg_exp.json': 'refuse',
  'i_number_real_underflow.json': 'refuse',
  'i_number_huge_exp.json': 'refuse',
  'i_number_neg_int_huge_exp.json': 'refuse',
  'i_number_pos_double_huge_exp.json': 'refuse',
  'i_number_real_neg_overflow.json': 'refuse',
  'i_number_real_pos_overflow.json': 'refuse',
  // Integers beyond 2^53 are accepted if they can be written again unchanged, and as ids of messages.
  'i_number_too_big_neg_int.json': 'refuse',
  'i_number_too_big_pos_int.json': 'accept',
  'i_number_very_big_negative_int.json': 'refuse',
  // A lone surrogate has no UTF-8 form.
  'i_object_key_lone_2nd_surrogate.json': 'refuse',
  'i_string_1st_surrogate_but_2nd_missing.json': 'refuse',
  'i_string_1st_valid_surrogate_2nd_invalid.json': 'refuse',
  'i_string_incomplete_surrogate_and_escape_valid.json': 'refuse',
  'i_string_incomplete_surrogate_pair.json': 'refuse',
  'i_string_incomplete_surrogates_escape_valid.json': 'refuse',
  'i_string_invalid_lonely_surrogate.json': 'refuse',
  'i_string_invalid_surrogate.json': 'refuse',
  'i_string_inverted_surrogates_U+1D11E.json': 'refuse',
  'i_string_lone_second_surrogate.json': 'refuse',
  // Messages are UTF-8, and invalid bytes are not replaced.
  'i_string_UTF-16LE_with_BOM.json': 'refuse',
  'i_string_UTF-8_invalid_sequence.json': 'refuse',
  'i_string_UTF8_surrogate_U+D800.json': 'refuse',
  'i_string_invalid_utf-8.json': 'refuse',
  'i_string_iso_latin_1.json': 'refuse',
  'i_string_lone_utf8_continuation_byte.json': 'refuse',
  'i_string_not_in_unicode_range.json': 'refuse',
  'i_string_overlong_sequence_2_bytes.json': 'refuse',
  'i_string_overlong_sequence_6_bytes.json': 'refuse',
  'i_string_overlong_sequence_6_bytes_null.json': 'refuse',
  'i_string_truncated-utf-8.json': 'refuse',
  'i_string_utf16BE_no_BOM.json': 'refuse',
  'i_string_utf16LE_no_BOM.json': 'refuse',
  // Our own limits.
  'i_structure_500_nested_arrays.json': 'refuse',
  'i_structure_UTF-8_BOM_empty_object.json': 'refuse',
}
