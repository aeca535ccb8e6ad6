import type { Fault } from '../faulty.js'
import { type Case, dialects, stateless } from './changes.js'

/** Renames the ids of sessions. */
const callingSessions = (rename: (id: string, count: number) => string) => (): Fault => {
  const own = new Map<string, string>()
  return {
    changeRequest: ({ headers }) => ({ headers: withSession(headers, (name) => own.get(name) ?? name) }),
    changeResponse: ({ headers }) => ({
      headers: withSession(headers, (id) => {
        const name = [...own].find(([, known]) => known === id)?.[0] ?? rename(id, own.size)
        own.set(name, id)
        return name
      }),
    }),
  }
}

function withSession(headers: Record<string, string>, change: (id: string) => string): Record<string, string> {
  const { 'mcp-session-id': id, ...rest } = headers
  return id === undefined ? rest : { ...rest, 'mcp-session-id': change(id) }
}

export const sessionsCases: readonly Case[] = [
  [
    'session-missing',
    dialects,
    () => ({
      changeResponse: (_, { method }, { headers }) =>
        method === 'tools/list' && headers['mcp-session-id'] === undefined && headers['mcp-protocol-version'] !== undefined
          ? { status: 403 }
          : undefined,
    }),
  ],
  [
    'session-unknown',
    dialects,
    () => ({
      changeResponse: (_, __, { headers }) => (headers['mcp-session-id'] === 'made-up-by-a-check' ? { status: 400 } : undefined),
    }),
  ],
  ['session-ended', dialects, () => ({ instead: ({ method }) => (method === 'DELETE' ? { status: 204 } : undefined) })],
  [
    'session-gone',
    stateless,
    () => ({
      changeResponse: (_, __, { headers }) =>
        headers['mcp-session-id'] === undefined
          ? undefined
          : { headers: { 'content-type': 'application/json', 'mcp-session-id': 'mine' } },
    }),
  ],
  ['session-id', dialects, callingSessions((id) => `my ${id}`)],
  ['session-unique', dialects, callingSessions((_, count) => `s${count}`)],
]
