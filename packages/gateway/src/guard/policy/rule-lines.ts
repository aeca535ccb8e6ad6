// The lines of the rules file on which its rules and cases begin.
import type { LineCounter, Node } from 'yaml'

export type RuleLines = {
  readonly rules: ReadonlyMap<string, number>
  /** In the order of the cases. */
  readonly cases: readonly (number | undefined)[]
}

type Yaml = typeof import('yaml')
const nothing: RuleLines = { rules: new Map(), cases: [] }

/** JSON is YAML, too. */
export async function ruleLinesOf(text: string): Promise<RuleLines> {
  if (text === '') return nothing
  // Loaded on demand, because on most gateways nobody looks at the rules.
  const yaml = await import('yaml')
  const counter = new yaml.LineCounter()
  try {
    const how = { lineCounter: counter, version: '1.2', uniqueKeys: false, prettyErrors: false } as const
    const { contents, errors } = yaml.parseDocument(text, how)
    if (errors.length > 0 || !yaml.isMap(contents)) return nothing
    return {
      rules: new Map(nodesIn(contents.get('rules', true), yaml).flatMap((rule) => namedLine(rule, { yaml, counter }))),
      cases: nodesIn(contents.get('cases', true), yaml).map((node) => lineOf(node, counter)),
    }
  } catch {
    return nothing // the reader of the rules reports errors
  }
}

const nodesIn = (list: unknown, { isSeq }: Yaml): readonly Node[] => (isSeq<Node>(list) ? list.items : [])

const lineOf = ({ range }: Node, counter: LineCounter): number | undefined => (range ? counter.linePos(range[0]).line : undefined)

function namedLine(rule: Node, { yaml, counter }: { yaml: Yaml; counter: LineCounter }): [string, number][] {
  const name = yaml.isMap(rule) ? rule.get('name', true) : undefined
  const line = lineOf(rule, counter)
  return yaml.isScalar(name) && typeof name.value === 'string' && line !== undefined ? [[name.value, line]] : []
}
