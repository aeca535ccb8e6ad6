import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { JsonObject } from 'toolwire'
import type { Machine } from '../paths.js'

/** The way a host reaches the gateway: a URL, or a command that the host starts. */
export type HostTarget = { readonly url: string } | { readonly command: string; readonly args: readonly string[] }

/** A program in which people use servers, and the layout of its config. */
export type Host = {
  readonly id: HostId
  readonly title: string
  /** The key of the object with its servers. */
  readonly key: string
  readonly user: (machine: Machine) => string
  /** The config within the folder of a project. */
  readonly project?: string
  /** The host also expands `$VAR`. */
  readonly bareVariables?: boolean
  /** The entry for a gateway at a URL; undefined if the host only starts commands. */
  readonly remote: (url: string) => JsonObject | undefined
  readonly child: (child: JsonObject) => JsonObject
}

export const hostIds = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const
export type HostId = (typeof hostIds)[number]

/** The folder of a program's user data, in the convention of the platform. */
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

/** For hosts that need the transport type in each entry. */
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

/** The host that keeps its servers at such a path in a project. */
export const hostOfProject = (path: string): Host | undefined =>
  hosts.find(({ project }) => project !== undefined && path.endsWith(join(sep, project)))

/** A file in which a host keeps its servers; the file need not exist. */
export type HostFile = { readonly host: Host; readonly scope: 'user' | 'project'; readonly path: string; readonly found: boolean }

/** All places where the known hosts keep their servers on this machine and in this project. */
export async function findHosts(machine: Machine): Promise<HostFile[]> {
  const places = hosts.flatMap((host) => [
    { host, scope: 'user' as const, path: host.user(machine) },
    ...(host.project === undefined ? [] : [{ host, scope: 'project' as const, path: join(machine.cwd, host.project) }]),
  ])
  return places.map((place) => ({ ...place, found: existsSync(place.path) }))
}
