import type { Revision } from './wire.js'

/** A server that takes part, and what it can do. */
export interface Subject {
  readonly name: string
  readonly httpScript: string
  readonly stdioScript: string | undefined
  readonly revisions: readonly Revision[]
  /** The revision in which it keeps change streams open; undefined when it cannot. */
  readonly streams: Revision | undefined
  readonly peer: boolean
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
  },
  {
    name: 'sdk-v2',
    httpScript: 'peers/sdk-v2.js',
    stdioScript: 'peers/sdk-v2.js',
    revisions: both,
    streams: '2026-07-28',
    peer: true,
  },
  {
    name: 'mcp-lite',
    httpScript: 'peers/mcp-lite.js',
    stdioScript: undefined,
    revisions: ['2025-11-25'],
    streams: undefined,
    peer: true,
  },
  {
    name: 'tmcp',
    httpScript: 'peers/tmcp.js',
    stdioScript: 'peers/tmcp.js',
    revisions: ['2025-11-25'],
    streams: undefined,
    peer: true,
  },
]
