import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from 'toolwire'
import type { Machine } from '../paths.js'

/** How a host is told to reach the gateway: by its address, or by a command it starts. */
export type HostTarget = { readonly url: string } | { readonly command: string; readonly args: readonly string[] }

/** A program that people use servers in, and how it keeps them. */
export type Host = {
  readonly id: HostId
  readonly title: string
  /** The key that its servers stand under. */
  readonly key: string
  readonly user: (machine: Machine) => string
  /** In the folder of a project. */
  readonly project?: string
  /** What it reads `$VAR` as, too. */
  readonly bareVariables?: boolean
  /** What is written for a gateway; undefined where the host cannot do it that way. */
  readonly remote: (url: string) => JsonObject | undefined
  readonly child: (child: JsonObject) => JsonObject
}

export const hostIds = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const
export type HostId = (typeof hostIds)[number]

/** Where a program keeps what belongs to a user, under the name it goes by there. */
function applicationData({ platform, home, env }: Machine, ...path: string[]): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', ...path)
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), ...path)
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), ...path)
}

const usual = {
  key: 'mcpServers',
  remote: (url: string) => ({ url }),
  child: (child: JsonObject) => child,
}

/** For those that want to be told how a server is reached. */
const typed = {
  ...usual,
  remote: (url: string) => ({ type: 'http', url }),
  child: (child: JsonObject) => ({ type: 'stdio', ...child }),
}

export const hosts: readonly Host[] = [
  {
    ...usual,
    id: 'claude-desktop',
    title: 'Claude Desktop',
    user: (machine) => applicationData(machine, 'Claude', 'claude_desktop_config.json'),
    remote: () => undefined,
  },
  {
    ...typed,
    id: 'claude-code',
    title: 'Claude Code',
    user: ({ env, home }) => join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
    project: '.mcp.json',
  },
  {
    ...usual,
    id: 'cursor',
    title: 'Cursor',
    user: ({ home }) => join(home, '.cursor', 'mcp.json'),
    project: join('.cursor', 'mcp.json'),
  },
  {
    ...typed,
    id: 'vscode',
    title: 'VS Code',
    key: 'servers',
    user: (machine) => applicationData(machine, 'Code', 'User', 'mcp.json'),
    project: join('.vscode', 'mcp.json'),
  },
  {
    ...usual,
    id: 'codex',
    title: 'Codex',
    key: 'mcp_servers',
    user: ({ env, home }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    project: join('.codex', 'config.toml'),
  },
  {
    ...usual,
    id: 'gemini',
    title: 'Gemini CLI',
    user: ({ home }) => join(home, '.gemini', 'settings.json'),
    project: join('.gemini', 'settings.json'),
    bareVariables: true,
    remote: (url) => ({ httpUrl: url }),
  },
  {
    ...usual,
    id: 'windsurf',
    title: 'Windsurf',
    user: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    remote: (url) => ({ serverUrl: url }),
  },
]

/** A file in which a host keeps its servers, be it there or not. */
export type HostFile = { readonly host: Host; readonly scope: 'user' | 'project'; readonly path: string; readonly found: boolean }

/** All places where the known hosts keep their servers on this machine and in this project. */
export async function findHosts(machine: Machine): Promise<HostFile[]> {
  const places = hosts.flatMap((host) => [
    { host, scope: 'user' as const, path: host.user(machine) },
    ...(host.project === undefined ? [] : [{ host, scope: 'project' as const, path: join(machine.cwd, host.project) }]),
  ])
  return places.map((place) => ({ ...place, found: existsSync(place.path) }))
}
