import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { ConfigError } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'
import { parseDocument, readTextFile, withLines } from '../documents/read-document.js'
import { maxFileBytes } from '../editing/replace-file.js'
import { findServers, type WrittenEntry } from '../servers/find-servers.js'
import { readEntry, type ServerEntry } from '../servers/read-entry.js'
import type { HostFile } from './host.js'

type HostPlace = Pick<HostFile, 'path'> & Partial<Pick<HostFile, 'host' | 'scope'>>

/** Reads the servers of a host's file, and the prompts of VS Code. An invalid server does not prevent reading the others. */
export async function readHost(file: HostPlace, cwd: string) {
  const text = (await readTextFile(file.path, file.scope === 'user' ? maxFileBytes : undefined)).replace(/^\ufeff/, '')
  const entries: ServerEntry[] = []
  const problems: ConfigError[] = []
  if (text.trim() === '') return { entries, problems, inputs: [] }
  const document = parseDocument(file.path, text)
  const attempt = (run: () => void): void => {
    try {
      run()
    } catch (thrown) {
      const error = withLines(thrown, document, file.path)
      if (!(error instanceof ConfigError)) throw error
      problems.push(error)
    }
  }
  attempt(() => {
    for (const one of serversOf(document.value, file.host, cwd))
      attempt(() => entries.push(entryOf(one, document.value, file.host)))
  })
  return { entries, problems, inputs: Array.isArray(document.value.inputs) ? document.value.inputs : [] }
}

function serversOf(value: JsonObject, host: HostPlace['host'], cwd: string): WrittenEntry[] {
  const own = findServers(value)
  const project = host?.id === 'claude-code' ? ofProject(value, cwd) : []
  return [...own, ...project.filter(({ name }) => own.every((other) => other.name !== name))]
}

export function entryOf(one: WrittenEntry, { mcp }: JsonObject, host: HostPlace['host']): ServerEntry {
  // withBraces turns an object into an object.
  const entry = readEntry(host?.bareVariables ? { ...one, value: withBraces(one.value) as JsonObject } : one)
  const excluded = host?.id === 'gemini' && isObject(mcp) && Array.isArray(mcp.excluded) ? mcp.excluded : []
  return excluded.includes(one.name) ? { ...entry, disabled: true } : entry
}

/** The servers that Claude Code keeps for one project, in the file of the user. */
function ofProject({ projects }: JsonObject, cwd: string): WrittenEntry[] {
  const project = isObject(projects) && Object.hasOwn(projects, cwd) ? projects[cwd] : undefined
  if (!isObject(project)) return []
  return findServers(project).map((one) => ({ ...one, at: jsonPointer('projects', cwd) + one.at }))
}

/** Rewrites `$VAR` as `${VAR}`. */
function withBraces(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return value.replace(/(?<!\$)\$([A-Za-z_]\w*)/g, (_, name: string) => `\${${name}}`)
  if (Array.isArray(value)) return value.map((item) => withBraces(item) ?? null)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withBraces(item)]))
}
