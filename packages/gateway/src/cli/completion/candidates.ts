import type { CommandInput } from '../command.js'
import { commandSpecs } from '../specs/index.js'
import { argumentCandidates, loginCandidates, type TypedWords, toolCandidates } from './gateway-candidates.js'

const everywhere = ['--json', '--quiet', '--no-color', '--debug', '--help']
const hostNames = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf']

/** Completions of the last word. */
export async function candidates(words: readonly string[], input: CommandInput): Promise<string[]> {
  const current = words.at(-1) ?? ''
  const found = await wordsFor(words.slice(0, -1), current, input)
  return found.filter((word) => word.startsWith(current))
}

async function wordsFor(before: readonly string[], current: string, input: CommandInput): Promise<readonly string[]> {
  const top = commandSpecs.find(({ name }) => name === before[0])
  if (!top) return before.length > 0 ? [] : commandSpecs.map(({ name }) => name)
  const nested = top.commands?.find(({ name }) => name === before[1])
  const spec = nested ?? top
  const rest = before.slice(nested ? 2 : 1)
  if (current.startsWith('-')) return [...(spec.options ?? []).flatMap(([flags]) => /--[a-z-]+/.exec(flags) ?? []), ...everywhere]
  const operands = rest.filter((word) => !word.startsWith('-'))
  const inner = rest.length === 0 ? (spec.commands ?? []).map(({ name }) => name) : []
  return [...inner, ...(await operandWords(spec.name, { operands, current }, input))]
}

async function operandWords(name: string, typed: TypedWords, input: CommandInput): Promise<readonly string[]> {
  const { operands } = typed
  if (name === 'completion') return operands.length === 0 ? ['bash', 'zsh', 'fish'] : []
  if (name === 'import' || (name === 'connect' && operands.length === 0)) return hostNames
  if (name === 'login' || name === 'logout') return operands.length === 0 ? loginCandidates(input) : []
  if ((name === 'call' || name === 'inspect') && operands.length === 0) return toolCandidates(input)
  return name === 'call' ? argumentCandidates(typed, input) : []
}
