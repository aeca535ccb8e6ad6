import { problem } from './config-error.js'
import { lookUpVariable, type VariableScope } from './variables.js'

const deepest = 8

/** The handling of a variable without a value or a default: an error, or its text unchanged. */
export type OnMissingVariable = 'refuse' | 'keep'

type Where = { readonly at?: string; readonly missing?: OnMissingVariable }

/** Replaces each ${…} with its value. The values themselves are not expanded. */
export function substituteVariables(text: string, scope: VariableScope, { at = '', missing = 'refuse' }: Where = {}): string {
  return text.includes('${') ? expand(text, { scope, at, missing, depth: 0 }) : text
}

type Substitution = Readonly<{ scope: VariableScope; at: string; missing: OnMissingVariable; depth: number }>

function expand(text: string, context: Substitution): string {
  const pieces: string[] = []
  let from = 0
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', from)) {
    const isEscaped = text[at - 1] === '$' && at > from
    const end = isEscaped ? at + 2 : closing(text, at, context)
    pieces.push(text.slice(from, isEscaped ? at - 1 : at))
    pieces.push(isEscaped ? '${' : valueIn(text.slice(at + 2, end - 1), context))
    from = end
  }
  return pieces.join('') + text.slice(from)
}

/** The index after the } that closes the ${ at `start`. */
function closing(text: string, start: number, { at }: Substitution): number {
  let open = 0
  for (let index = start; index < text.length; index++) {
    if (text.startsWith('${', index)) open++
    else if (text[index] === '}' && --open === 0) return index + 1
  }
  throw problem(at, `a \${ has no closing }; write $\${ for a literal \${`)
}

function valueIn(inner: string, context: Substitution): string {
  const { scope, at, missing, depth } = context
  if (depth === deepest) throw problem(at, `defaults are nested more than ${deepest} deep`)
  const cut = inner.indexOf(':-')
  const name = cut === -1 ? inner : inner.slice(0, cut)
  const value = missing === 'keep' ? attempt(name, scope) : lookUpVariable(name, scope, at)
  // As in a shell, `:-` also replaces an empty value.
  if (value !== undefined && (value !== '' || cut === -1)) return value
  if (cut !== -1) return expand(inner.slice(cut + 2), { ...context, depth: depth + 1 })
  if (missing === 'keep') return `\${${inner}}`
  throw problem(at, `\${${inner}} is not set; set it in the environment, or write \${${inner}:-…} to give a default`)
}

function attempt(name: string, scope: VariableScope): string | undefined {
  try {
    return lookUpVariable(name, scope, '')
  } catch {
    return undefined // the text stays unchanged, and the variable is reported when it is needed
  }
}
