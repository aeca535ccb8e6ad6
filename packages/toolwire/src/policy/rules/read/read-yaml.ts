import { encodeJson, isExactNumber, type Json, parseJson } from '../../../json.js'
import { fromPointer } from '../../../schema/pointer.js'
import { RulesError, type RulesProblem } from '../rules-error.js'
import type { LocatedText } from './read-json.js'

/** Reads the part of YAML 1.2 that JSON can express. Duplicate keys, tags and several documents are refused. */
export async function readYaml(text: string, file: string | undefined): Promise<LocatedText> {
  const { isDocument, isNode, isScalar, parseDocument, LineCounter, visit } = await yaml(file)
  const lines = new LineCounter()
  // The parser compares each key with all keys before it, which takes long for large maps.
  const document = parseDocument(text, { lineCounter: lines, version: '1.2', uniqueKeys: false, prettyErrors: false })
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) {
    const problems = faults.map(({ pos, message }) => ({ at: '', message, line: lines.linePos(pos[0]).line }))
    throw new RulesError(problems, { file, cause: faults[0] })
  }
  const problems: RulesProblem[] = []
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        // As members of an object, 1 and "1" are equal.
        const name = String(key.value ?? '')
        if (names.has(name))
          problems.push({
            at: '',
            message: 'a key is there twice; keys must be unique',
            line: lines.linePos(key.range?.[0] ?? 0).line,
          })
        names.add(name)
      }
    },
    Scalar(_, { value, source, range }) {
      if (typeof value !== 'number' || isExactNumber((source ?? String(value)).replace('+', ''))) return
      const message = 'a number cannot be held exactly; write it as a string'
      problems.push({ at: '', message, line: lines.linePos(range?.[0] ?? 0).line })
    },
  })
  if (problems.length > 0) throw new RulesError(problems, { file })
  return {
    value: asJson(document, file),
    lineOf(pointer) {
      const path = (fromPointer(pointer) ?? []).map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment))
      const node = path.length === 0 ? document : document.getIn(path, true)
      const range = isDocument(node) || isNode(node) ? node.range : undefined
      return range ? lines.linePos(range[0]).line : undefined
    },
  }
}

async function yaml(file: string | undefined): Promise<typeof import('yaml')> {
  try {
    return await import('yaml')
  } catch (cause) {
    throw new RulesError([{ at: '', message: 'reading YAML needs a package: npm i yaml' }], { cause, file })
  }
}

/** Aliases may form a cycle, or expand a small text to any size. */
function asJson(document: { toJS(options: { maxAliasCount: number }): unknown }, file: string | undefined): Json {
  try {
    // Encoding refuses values that JSON cannot express.
    return parseJson(encodeJson(document.toJS({ maxAliasCount: 100 }) as Json))
  } catch (cause) {
    const message = `cannot be written as JSON: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new RulesError([{ at: '', message }], { cause, file })
  }
}
