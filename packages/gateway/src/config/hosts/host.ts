import { join } from 'node:path'
import type { Json, JsonObject } from 'toolwire'
import type { Machine } from '../paths.js'

/** How a host is told to reach the gateway: by its address, or by a command it starts. */
export type HostTarget =
  | { readonly url: string; readonly headers?: { readonly [name: string]: string } }
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: { readonly [name: string]: string } }

/** A program that people use servers in, and how it keeps them. */
export type Host = {
  readonly id: HostId
  readonly title: string
  readonly format: 'json' | 'toml'
  /** The key that its servers stand under. */
  readonly key: string
  readonly user: (machine: Machine) => string
  /** In the folder of a project. */
  readonly project?: string
  /** What it reads `$VAR` as, too. */
  readonly bareVariables?: boolean
  /** What is written for a gateway; undefined where the host cannot do it that way. */
  readonly remote: (url: string, headers: JsonObject | undefined) => JsonObject | undefined
  readonly child: (child: JsonObject) => JsonObject
}

export const hostIds = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const
export type HostId = (typeof hostIds)[number]

const unchangedEntry = (child: JsonObject): JsonObject => child
const withType = (type: Json, rest: JsonObject): JsonObject => ({ type, ...rest })
const withHeaders = (entry: JsonObject, headers: JsonObject | undefined): JsonObject => ({
  ...entry,
  ...(headers && { headers }),
})

/** Where a program keeps what belongs to a user, under the name it goes by there. */
function applicationData({ platform, home, env }: Machine, ...path: string[]): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', ...path)
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), ...path)
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), ...path)
}

export const hosts: readonly Host[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    user: (machine) => applicationData(machine, 'Claude', 'claude_desktop_config.json'),
    remote: () => undefined,
    child: unchangedEntry,
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    user: ({ env, home }) => join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
    project: '.mcp.json',
    remote: (url, headers) => withHeaders({ type: 'http', url }, headers),
    child: (child) => withType('stdio', child),
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    user: ({ home }) => join(home, '.cursor', 'mcp.json'),
    project: join('.cursor', 'mcp.json'),
    remote: (url, headers) => withHeaders({ url }, headers),
    child: unchangedEntry,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'json',
    key: 'servers',
    user: (machine) => applicationData(machine, 'Code', 'User', 'mcp.json'),
    project: join('.vscode', 'mcp.json'),
    remote: (url, headers) => withHeaders({ type: 'http', url }, headers),
    child: (child) => withType('stdio', child),
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    user: ({ env, home }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    project: join('.codex', 'config.toml'),
    remote: (url, headers) => ({ url, ...(headers && { http_headers: headers }) }),
    child: unchangedEntry,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    user: ({ home }) => join(home, '.gemini', 'settings.json'),
    project: join('.gemini', 'settings.json'),
    bareVariables: true,
    remote: (url, headers) => withHeaders({ httpUrl: url }, headers),
    child: unchangedEntry,
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    key: 'mcpServers',
    user: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    remote: (url, headers) => withHeaders({ serverUrl: url }, headers),
    child: unchangedEntry,
  },
]
