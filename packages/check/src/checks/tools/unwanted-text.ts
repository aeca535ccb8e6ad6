// Control characters and secrets, which do not belong in a result.
import type { Json, JsonObject } from 'toolwire'

/** Control characters except tabs and line ends. */
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const secrets: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/],
  ['an AWS access key', /\bAKIA[0-9A-Z]{16}\b/],
  ['a GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36}/],
  ['a Slack token', /\bxox[abprs]-[A-Za-z0-9-]{10}/],
  ['an API key', /\bsk-[A-Za-z0-9_-]{32}/],
]

/** Describes the first control character, without repeating it. */
export function controlCharactersIn(result: JsonObject): string | undefined {
  const found = textsIn(result, 0)
    .map((text) => controls.exec(text)?.[0])
    .find((one) => one !== undefined)
  return found === undefined ? undefined : `The result has the control character \\u{${found.codePointAt(0)?.toString(16)}}`
}

export function secretsIn(result: JsonObject): string | undefined {
  const texts = textsIn(result, 0)
  const found = secrets.find(([, pattern]) => texts.some((text) => pattern.test(text)))
  return found && `The result seems to contain ${found[0]}`
}

function textsIn(value: Json, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 60) return []
  return Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one ?? null, depth + 1)])
}
