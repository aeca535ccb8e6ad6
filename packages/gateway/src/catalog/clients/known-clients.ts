// Clients that fail on schemas that the protocol allows, by the names that they send.
import type { ClientsConfig } from '../../config/gateway-config.js'
import { matchesGlob } from '../../config/globs.js'

/** A feature of a schema that some clients cannot read. */
export type SchemaProblem = keyof typeof schemaProblems

/** The features as written in the log. */
export const schemaProblems = {
  references: '$ref',
  combinations: 'allOf, anyOf or oneOf at the root',
  dialect: '$schema',
  newerDialect: '$schema of 2020-12',
} as const

const none: readonly SchemaProblem[] = []
const all: readonly SchemaProblem[] = ['references', 'combinations', 'dialect']
const references: readonly SchemaProblem[] = ['references']

/** Clients with a public report. The operator can configure others. */
const known: readonly (readonly [client: string, chokesOn: readonly SchemaProblem[]])[] = [
  // https://github.com/anthropics/claude-code/issues/95504
  ['claude-code*', ['combinations']],
  // https://github.com/google-gemini/gemini-cli/issues/13142 and 13326
  ['gemini-cli-mcp-client*', references],
  // https://github.com/github/copilot-cli/issues/1876, where 1268 has its name
  ['github-copilot-developer*', references],
  // https://github.com/anomalyco/opencode/issues/12295
  ['opencode*', references],
  // https://github.com/microsoft/vscode/issues/251315
  ['visual studio code*', ['newerDialect']],
]

/** The problems of a client; the operator's settings take precedence. The same kind of client always gets the same array. */
export function schemaProblemsOf(client: string, said: ClientsConfig): readonly SchemaProblem[] {
  const name = client.toLowerCase()
  const calls = ([names]: readonly [string, unknown]) => matchesGlob(names.toLowerCase(), name)
  const own = Object.entries(said).find((entry) => entry[1].schemas !== undefined && calls(entry))
  if (own) return own[1].schemas === 'plain' ? all : none
  return known.find(calls)?.[1] ?? none
}
