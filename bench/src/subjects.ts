import { readFileSync } from 'node:fs'
import type { Revision } from './wire.js'

export interface Subject {
  readonly name: string
  readonly httpScript: string
  readonly stdioScript: string | undefined
  readonly revisions: readonly Revision[]
  /** The revision of its change streams; undefined if it has none. */
  readonly streams: Revision | undefined
  readonly peer: boolean
  /** The package, and its setup in words. */
  readonly setup?: { readonly from: string; readonly as: string }
}

const both: readonly Revision[] = ['2025-11-25', '2026-07-28']

export const control: Subject = {
  name: 'control',
  httpScript: 'control-http.js',
  stdioScript: 'control-stdio.js',
  revisions: both,
  streams: '2026-07-28',
  peer: false,
}

export const toolwire: Subject = {
  name: 'toolwire',
  httpScript: 'server.js',
  stdioScript: 'server.js',
  revisions: both,
  streams: '2026-07-28',
  peer: false,
}

export const peers: readonly Subject[] = [
  {
    name: 'sdk-v1',
    httpScript: 'peers/sdk-v1.js',
    stdioScript: 'peers/sdk-v1.js',
    revisions: ['2025-11-25'],
    streams: '2025-11-25',
    peer: true,
    setup: { from: '@modelcontextprotocol/sdk', as: 'Express, a transport for each session, JSON answers' },
  },
  {
    name: 'sdk-v2',
    httpScript: 'peers/sdk-v2.js',
    stdioScript: 'peers/sdk-v2.js',
    revisions: both,
    streams: '2026-07-28',
    peer: true,
    setup: {
      from: '@modelcontextprotocol/server',
      as: 'node:http, createMcpHandler (2026-07-28), a transport for each session and JSON answers (2025-11-25)',
    },
  },
  {
    name: 'mcp-lite',
    httpScript: 'peers/mcp-lite.js',
    stdioScript: undefined,
    revisions: ['2025-11-25'],
    streams: undefined,
    peer: true,
    setup: { from: 'mcp-lite', as: 'Hono, stateless' },
  },
  {
    name: 'tmcp',
    httpScript: 'peers/tmcp.js',
    stdioScript: 'peers/tmcp.js',
    revisions: ['2025-11-25'],
    streams: undefined,
    peer: true,
    setup: { from: 'tmcp', as: 'Hono' },
  },
]

/** The version and setup of each peer, one per line. */
export function setupText(subjects: readonly Subject[]): string {
  const lines = subjects.flatMap(({ name, setup }) =>
    setup ? [`${name}: ${setup.from} ${versionOf(setup.from)}, ${setup.as}`] : [],
  )
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function versionOf(name: string): string {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  } catch {
    return 'not installed'
  }
}
