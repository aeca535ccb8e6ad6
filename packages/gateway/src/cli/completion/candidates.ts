import type { CommandInput, CommandSpec } from '../command.js'
import { commandSpecs } from '../specs/index.js'
import { loginCandidates } from './login-candidates.js'
import { argumentCandidates, toolCandidates } from './tool-candidates.js'

const everywhere = ['--json', '--quiet', '--no-color', '--debug', '--help']
const hostNames = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf']

/** What the last word may be made into. */
export async function candidates(words: readonly string[], input: CommandInput): Promise<string[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { spec, rest } = walk(before)
  const found = await wordsFor({ spec, rest, current }, input)
  return found.filter((word) => word.startsWith(current))
}

type Standing = { readonly spec: CommandSpec | undefined; readonly rest: readonly string[]; readonly current: string }

async function wordsFor({ spec, rest, current }: Standing, input: CommandInput): Promise<string[]> {
  if (!spec) return rest.length > 0 ? [] : commandSpecs.map(({ name }) => name)
  if (current.startsWith('-')) return [...(spec.options ?? []).flatMap(([flags]) => /--[a-z-]+/.exec(flags) ?? []), ...everywhere]
  const operands = rest.filter((word) => !word.startsWith('-'))
  const nested = rest.length === 0 ? (spec.commands ?? []).map(({ name }) => name) : []
  return [...nested, ...(await operandWords(spec.name, { operands, current }, input))]
}

async function operandWords(
  name: string,
  typed: { operands: readonly string[]; current: string },
  input: CommandInput,
): Promise<string[]> {
  const { operands } = typed
  if (name === 'completion') return operands.length === 0 ? ['bash', 'zsh', 'fish'] : []
  if (name === 'import' || (name === 'connect' && operands.length === 0)) return hostNames
  if (name === 'login' || name === 'logout') return operands.length === 0 ? loginCandidates(input) : []
  if ((name === 'call' || name === 'inspect') && operands.length === 0) return toolCandidates(input)
  return name === 'call' ? argumentCandidates(typed, input) : []
}

/** The command that the words lead to, and those that are left. */
function walk(words: readonly string[]): { spec: CommandSpec | undefined; rest: readonly string[] } {
  const top = commandSpecs.find(({ name }) => name === words[0])
  if (!top) return { spec: undefined, rest: words }
  const nested = top.commands?.find(({ name }) => name === words[1])
  return nested ? { spec: nested, rest: words.slice(2) } : { spec: top, rest: words.slice(1) }
}
