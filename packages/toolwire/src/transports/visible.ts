const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Text of a stranger as one may print it: terminals obey some characters, and others hide or turn what is beside them. */
export function visible(text: string): string {
  return text.replace(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
