import type { Fleet } from './fleet.js'
import { measureCalls, measureCrowded, measureStdio } from './measure-calls.js'
import { measureClient } from './measure-client.js'
import { measureFleet } from './measure-fleet.js'
import { measureGateway } from './measure-gateway.js'
import { measureGuard } from './measure-guard.js'
import { measureGatewayStart, measureLongList } from './measure-many.js'
import { measureScan } from './measure-scan.js'
import { measureStart } from './measure-start.js'
import { measureStreams } from './measure-streams.js'
import type { Options } from './options.js'
import type { Subject } from './subjects.js'
import { add, big, list } from './wire.js'

export interface Run {
  readonly fleet: Fleet
  readonly subjects: readonly Subject[]
  readonly options: Options
  /** Reports on stderr why a peer is missing from a measure. */
  readonly tell: (line: string) => void
}

export interface Reading {
  readonly subject: string
  readonly value: number
  /** The measured quantity, in its own unit. */
  readonly detail: string
}

export interface Demand {
  readonly sense: 'at least' | 'at most'
  readonly bound: number
  readonly unit: string
}

export interface Scale {
  readonly name: string
  readonly what: string
  readonly demand: Demand
}

export interface Measure {
  /** Rows of the table. One measure may fill several: streams are opened once, and measured for time and memory. */
  readonly scales: readonly Scale[]
  /** Are the peers included in a quick run? */
  readonly quickPeers: boolean
  /** Scales without readings are left out, because the measure needs something that is not installed everywhere. */
  readonly maySkip?: true
  run(run: Run): Promise<readonly (readonly Reading[])[]>
}

const atLeast = (bound: number): Demand => ({ sense: 'at least', bound, unit: '' })
const mebibyte = 1024 * 1024

function measure(scale: Scale, run: (run: Run) => Promise<readonly Reading[]>, quickPeers = true): Measure {
  return { scales: [scale], quickPeers, run: async (context) => [await run(context)] }
}

export const measures: readonly Measure[] = [
  measure({ name: 'http-2025', what: 'HTTP tools/call, 32 connections, 2025-11-25', demand: atLeast(0.75) }, (run) =>
    measureCalls(run, { revision: '2025-11-25', question: add, connections: 32, fillers: 0 }),
  ),
  measure({ name: 'http-2026', what: 'HTTP tools/call, 32 connections, 2026-07-28', demand: atLeast(0.75) }, (run) =>
    measureCalls(run, { revision: '2026-07-28', question: add, connections: 32, fillers: 0 }),
  ),
  measure({ name: 'stdio-1', what: 'stdio tools/call, one at a time', demand: atLeast(0.65) }, (run) => measureStdio(run, 1)),
  measure({ name: 'stdio-64', what: 'stdio tools/call, 64 in flight', demand: atLeast(0.65) }, (run) => measureStdio(run, 64)),
  measure(
    { name: 'client-1', what: 'client over HTTP, one call at a time', demand: atLeast(0.6) },
    (run) => measureClient(run, 'http', 1),
    false,
  ),
  measure(
    { name: 'client-32', what: 'client over HTTP, 32 calls in flight', demand: atLeast(0.6) },
    (run) => measureClient(run, 'http', 32),
    false,
  ),
  measure(
    { name: 'client-stdio-1', what: 'client over stdio, one call at a time', demand: atLeast(0.7) },
    (run) => measureClient(run, 'stdio', 1),
    false,
  ),
  measure(
    { name: 'client-stdio-64', what: 'client over stdio, 64 calls in flight', demand: atLeast(0.7) },
    (run) => measureClient(run, 'stdio', 64),
    false,
  ),
  measure(
    {
      name: 'guard',
      what: 'the full guard, with 50 lines of rules, against none',
      demand: { sense: 'at most', bound: 1.25, unit: 'x' },
    },
    (run) => measureGuard(run, 'full'),
    false,
  ),
  measure(
    { name: 'usual', what: 'the default guard, against none', demand: { sense: 'at most', bound: 1.25, unit: 'x' } },
    (run) => measureGuard(run, 'usual'),
    false,
  ),
  measure(
    { name: 'gateway', what: 'a call relayed over HTTP, without guard, against a bare proxy', demand: atLeast(0.6) },
    (run) => measureGateway(run, 'http', 'none'),
    false,
  ),
  measure(
    {
      name: 'gateway-full',
      what: 'a call relayed over HTTP, with the full guard and the audit log on disk',
      demand: atLeast(0.35),
    },
    (run) => measureGateway(run, 'http', 'full'),
    false,
  ),
  measure(
    { name: 'gateway-stdio', what: 'a call relayed over stdio, with the full guard', demand: atLeast(0.35) },
    (run) => measureGateway(run, 'stdio', 'full'),
    false,
  ),
  measure(
    {
      name: 'gateway-list',
      what: 'gateway with 10,000 tools, CPU for a page of tools/list',
      demand: { sense: 'at most', bound: 20, unit: ' ms' },
    },
    measureLongList,
    false,
  ),
  measure(
    {
      name: 'gateway-start',
      what: 'gateway start, until the tools of 20 upstreams are listed',
      demand: { sense: 'at most', bound: 2, unit: ' s' },
    },
    measureGatewayStart,
    false,
  ),
  {
    scales: [
      { name: 'fleet', what: 'store in PostgreSQL, against SQLite', demand: { sense: 'at most', bound: 1.3, unit: 'x' } },
      { name: 'fleet-statements', what: 'PostgreSQL statements per call', demand: { sense: 'at most', bound: 2, unit: '' } },
      { name: 'fleet-wal', what: 'PostgreSQL WAL per call', demand: { sense: 'at most', bound: 4, unit: ' KiB' } },
      {
        name: 'fleet-stored',
        what: 'PostgreSQL tables and indexes per call',
        demand: { sense: 'at most', bound: 4, unit: ' KiB' },
      },
      { name: 'fleet-database', what: 'PostgreSQL CPU per call', demand: { sense: 'at most', bound: 1_000, unit: ' µs' } },
      {
        name: 'fleet-idle',
        what: 'PostgreSQL statements per second without calls',
        demand: { sense: 'at most', bound: 10, unit: '' },
      },
      { name: 'fleet-2', what: 'two replicas on one database, against one', demand: { sense: 'at most', bound: 1.1, unit: 'x' } },
      {
        name: 'fleet-4',
        what: 'four replicas on one database, against one',
        demand: { sense: 'at most', bound: 1.1, unit: 'x' },
      },
    ],
    quickPeers: false,
    maySkip: true,
    run: measureFleet,
  },
  measure({ name: 'crowded', what: 'a call among 1,000 tools, against 3', demand: atLeast(0.95) }, measureCrowded, false),
  measure({ name: 'list', what: 'HTTP tools/list of 1,000 tools', demand: atLeast(2.5) }, (run) =>
    measureCalls(run, { revision: '2025-11-25', question: list(1000), connections: 8, fillers: 997, stretch: 2 }),
  ),
  measure({ name: 'big', what: 'HTTP tools/call with a text of 1 MiB', demand: atLeast(0.95) }, (run) =>
    measureCalls(run, { revision: '2025-11-25', question: big(mebibyte), connections: 4, fillers: 0, stretch: 2 }),
  ),
  measure(
    { name: 'start', what: 'stdio, start to first tools/list answer', demand: { sense: 'at most', bound: 1.4, unit: 'x' } },
    measureStart,
  ),
  {
    scales: [
      { name: 'tell', what: '1,000 streams, time to notify all', demand: { sense: 'at most', bound: 1.3, unit: 'x' } },
      { name: 'memory', what: '1,000 streams, memory per stream', demand: { sense: 'at most', bound: 24, unit: ' KiB' } },
    ],
    quickPeers: false,
    run: measureStreams,
  },
  {
    scales: [
      {
        name: 'scan-honest',
        what: 'honest definitions that a scan withholds',
        demand: { sense: 'at most', bound: 0.5, unit: ' %' },
      },
      { name: 'scan', what: 'poisoned definitions that a scan withholds', demand: { sense: 'at least', bound: 100, unit: ' %' } },
    ],
    quickPeers: false,
    maySkip: true,
    run: measureScan,
  },
]
