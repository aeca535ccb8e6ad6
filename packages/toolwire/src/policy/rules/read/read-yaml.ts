import { encodeJson, isExactNumber, type Json, parseJson } from '../../../json.js'
import { fromPointer } from '../../../schema/pointer.js'
import { RulesError, type RulesProblem } from '../rules-error.js'
import type { LocatedText } from './read-json.js'

/** Reads YAML 1.2, as far as JSON can say the same: duplicate keys, tags and several documents are refused. */
export async function readYaml(text: string, file: string | undefined): Promise<LocatedText> {
  const { parseDocument, LineCounter, visit } = await yaml(file)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, version: '1.2', uniqueKeys: true, prettyErrors: false })
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) {
    const problems = faults.map(({ pos, message }) => ({ at: '', message, line: lines.linePos(pos[0]).line }))
    throw new RulesError(problems, { file, cause: faults[0] })
  }
  const inexact: RulesProblem[] = []
  visit(document, {
    Scalar(_, { value, source, range }) {
      if (typeof value !== 'number' || isExactNumber((source ?? String(value)).replace('+', ''))) return
      const message = 'a number cannot be held exactly; write it as a string'
      inexact.push({ at: '', message, line: lines.linePos(range?.[0] ?? 0).line })
    },
  })
  if (inexact.length > 0) throw new RulesError(inexact, { file })
  return { value: asJson(document, file), lineOf: (pointer) => lineOf(pointer, { document, lines }) }
}

type Yaml = typeof import('yaml')
type Parsed = {
  readonly document: { getIn(path: readonly unknown[], keepScalar: boolean): unknown }
  readonly lines: { linePos(offset: number): { line: number } }
}

async function yaml(file: string | undefined): Promise<Yaml> {
  try {
    return await import('yaml')
  } catch (cause) {
    throw new RulesError([{ at: '', message: 'reading YAML needs a package: npm i yaml' }], { cause, file })
  }
}

/** Aliases may make a cycle, or a value of any size from a small text. */
function asJson(document: { toJS(options: { maxAliasCount: number }): unknown }, file: string | undefined): Json {
  try {
    // Encoding refuses what JSON cannot say.
    return parseJson(encodeJson(document.toJS({ maxAliasCount: 100 }) as Json))
  } catch (cause) {
    const message = `cannot be written as JSON: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new RulesError([{ at: '', message }], { cause, file })
  }
}

function lineOf(pointer: string, { document, lines }: Parsed): number | undefined {
  const path = (fromPointer(pointer) ?? []).map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment))
  const [start] = rangeOf(path.length === 0 ? document : document.getIn(path, true)) ?? []
  return typeof start === 'number' ? lines.linePos(start).line : undefined
}

function rangeOf(node: unknown): readonly unknown[] | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined
  return Array.isArray(node.range) ? node.range : undefined
}
