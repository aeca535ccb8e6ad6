// The config and the rules shared by all replicas of a run.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The rate limit of each tool and caller, over all replicas. */
export const limit = { perSecond: 4, burst: 4 }

/** A call without a decision in this time is refused, and its caller is told to retry. */
export const holdMs = 2_000

export type SharedConfig = {
  readonly folder: string
  readonly webPort: number
  readonly pipeFile: string
  readonly spool: boolean
}

const policy = {
  version: 1,
  default: 'deny',
  rules: [
    { name: 'plain work', when: { tool: ['*plain_*', '*limited'] }, decision: 'allow' },
    { name: 'risky work', when: { tool: '*risky' }, decision: 'ask' },
  ],
}

/** Writes the config, or the given replacement, and returns its path. */
export function writeConfig({ folder, webPort, pipeFile, spool }: SharedConfig, instead: object | undefined): string {
  const child = fileURLToPath(new URL('./work-stdio.js', import.meta.url))
  const config = {
    mcpServers: {
      web: { type: 'http', url: `http://127.0.0.1:${webPort}/mcp` },
      pipe: { command: process.execPath, args: [child, pipeFile] },
    },
    toolwire: {
      servers: { web: { trusted: true }, pipe: { trusted: true } },
      policy: './policy.json',
      logLevel: 'info',
      allowedHosts: ['127.0.0.1'],
      callers: { loopback: false, apiKeys: true },
      guard: {
        rate: { calls: limit.perSecond * 60, per: 'minute', burst: limit.burst },
        lists: false,
        audit: { spool },
        inFlight: 1_000,
        inFlightEach: 500,
      },
      approvals: { ask: 'console', waitMs: 60_000, holdMs, mostPending: 1_000 },
    },
  }
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy))
  const file = join(folder, 'mcp.json')
  writeFileSync(file, JSON.stringify(instead ?? config))
  return file
}
