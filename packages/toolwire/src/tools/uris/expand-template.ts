import type { Expression, Operator, Piece, Variable } from './template-expression.js'

/** What a variable may hold; undefined and empty lists leave it out. */
export type TemplateValue = string | readonly string[] | Readonly<Record<string, string>> | undefined
export type TemplateValues = Readonly<Record<string, TemplateValue>>

const notUnreserved = /[^A-Za-z0-9\-._~]/gu
const notReserved = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu

/** RFC 6570, section 3: literals as they stand, expressions replaced by their variables. */
export function expandPieces(pieces: readonly Piece[], values: TemplateValues): string {
  return pieces.map((piece) => (typeof piece === 'string' ? encode(piece, true) : expandExpression(piece, values))).join('')
}

function expandExpression({ operator, variables }: Expression, values: TemplateValues): string {
  const written = variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    return value === undefined ? [] : writeVariable(variable, value, operator)
  })
  return written.length === 0 ? '' : operator.lead + written.join(operator.separator)
}

function writeVariable(variable: Variable, value: NonNullable<TemplateValue>, operator: Operator): string[] {
  if (typeof value === 'string')
    return [withName(variable.name, encode(cut(value, variable.prefix), operator.reserved), operator)]
  const entries = isList(value) ? value.map((item) => [item]) : Object.entries(value)
  const encoded = entries.map((entry) => entry.map((part) => encode(part, operator.reserved)))
  if (encoded.length === 0) return []
  if (!variable.explode) return [withName(variable.name, encoded.flat().join(','), operator)]
  return encoded.map(([first = '', second]) => {
    if (second === undefined) return withName(variable.name, first, operator)
    return operator.named ? withName(first, second, operator) : `${first}=${second}`
  })
}

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: object): value is readonly string[] => Array.isArray(value)

const cut = (text: string, prefix: number | undefined): string =>
  prefix === undefined ? text : [...text].slice(0, prefix).join('')

function withName(name: string, text: string, { named, ifEmpty }: Operator): string {
  if (!named) return text
  return text === '' ? name + ifEmpty : `${name}=${text}`
}

function encode(text: string, reserved: boolean): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD').replace(reserved ? notReserved : notUnreserved, encodeCharacter)
}

function encodeCharacter(character: string): string {
  if (character.length === 3) return character // already a percent-encoded triplet
  const encoded = encodeURIComponent(character)
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded
}
