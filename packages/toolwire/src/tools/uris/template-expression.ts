import { definitionError } from '../checks/definition-error.js'

/** The separators of an operator: the table of RFC 6570, appendix A. */
export type Operator = {
  readonly lead: string
  readonly separator: string
  /** Writes `name=value` rather than the value alone. */
  readonly named: boolean
  /** Leaves reserved characters such as `/` unencoded. */
  readonly reserved: boolean
}

const plain = { lead: '', separator: ',', named: false, reserved: false }

const operators: ReadonlyMap<string, Operator> = new Map([
  ['', plain],
  ['+', { ...plain, reserved: true }],
  ['#', { ...plain, lead: '#', reserved: true }],
  ['.', { ...plain, lead: '.', separator: '.' }],
  ['/', { ...plain, lead: '/', separator: '/' }],
  [';', { ...plain, lead: ';', separator: ';', named: true }],
  ['?', { ...plain, lead: '?', separator: '&', named: true }],
  ['&', { ...plain, lead: '&', separator: '&', named: true }],
])

export type Variable = { readonly name: string; readonly explode: boolean; readonly prefix: number | undefined }
export type Expression = { readonly operator: Operator; readonly variables: readonly Variable[] }
export type Piece = string | Expression

const forbiddenInLiteral = /[\0-\x20"<>\\^`{|}\x7f]|%(?![0-9A-Fa-f]{2})/
const variableForm = /^((?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+)(?::([1-9]\d{0,3})|(\*))?$/

/** Splits a template into literals and expressions; throws for anything that RFC 6570 does not define. */
export function readPieces(template: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  while (at < template.length) {
    const open = template.indexOf('{', at)
    const end = open === -1 ? template.length : open
    if (end > at) pieces.push(readLiteral(template.slice(at, end), template))
    if (open === -1) break
    const close = template.indexOf('}', open)
    if (close === -1) throw definitionError(`The URI template ${template} opens a brace that it never closes`)
    pieces.push(readExpression(template.slice(open + 1, close), template))
    at = close + 1
  }
  return pieces
}

function readLiteral(text: string, template: string): string {
  const wrong = forbiddenInLiteral.exec(text)
  if (!wrong) return text
  throw definitionError(`The URI template ${template} contains ${JSON.stringify(wrong[0])} outside braces: percent-encode it`)
}

function readExpression(text: string, template: string): Expression {
  const mark = operators.has(text.charAt(0)) ? text.charAt(0) : ''
  const specs = text.slice(mark.length).split(',')
  return { operator: operators.get(mark) ?? plain, variables: specs.map((spec) => readVariable(spec, template)) }
}

function readVariable(spec: string, template: string): Variable {
  const form = variableForm.exec(spec)
  const why = 'which RFC 6570 does not define: name, name:3 or name* can stand there'
  if (!form?.[1]) throw definitionError(`The URI template ${template} has {${spec}}, ${why}`)
  return { name: form[1], explode: form[3] === '*', prefix: form[2] === undefined ? undefined : Number(form[2]) }
}
