import type { JsonObject } from 'toolwire'
import type { ServerEntry } from './read-entry.js'

/** Writes a server in the form of an mcp.json, whichever host it comes from. */
export function writeEntry(entry: ServerEntry): JsonObject {
  return {
    ...(entry.transport === 'child' ? writtenChild(entry) : writtenRemote(entry)),
    ...(entry.timeoutMs !== undefined && { timeout: entry.timeoutMs }),
    ...(entry.disabled && { disabled: true }),
    ...(entry.only && { includeTools: [...entry.only] }),
    ...(entry.hidden.length > 0 && { excludeTools: [...entry.hidden] }),
  }
}

function writtenChild({ command, args, env, inherit, cwd, envFile }: ServerEntry): JsonObject {
  const inherited = Object.fromEntries(inherit.map((name) => [name, `\${${name}:-}`]))
  const all = { ...inherited, ...env }
  return {
    ...(command !== undefined && { command }),
    ...(args.length > 0 && { args: [...args] }),
    ...(Object.keys(all).length > 0 && { env: all }),
    ...(cwd !== undefined && { cwd }),
    ...(envFile !== undefined && { envFile }),
  }
}

function writtenRemote({ transport, url, headers }: ServerEntry): JsonObject {
  return {
    type: transport,
    ...(url !== undefined && { url }),
    ...(Object.keys(headers).length > 0 && { headers: { ...headers } }),
  }
}
