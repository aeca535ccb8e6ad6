import { writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { JsonObject } from 'toolwire'
import type { CheckOptions, CheckTarget } from './check-options.js'
import { type CheckReport, countOutcomes } from './check-report.js'
import { allChecks } from './checks/all-checks.js'
import { isObject, parsedJson } from './json.js'
import type { Emphasis } from './render/human.js'
import { type Format, formats, render } from './render/render.js'
import { allRevisions, findRevision } from './revisions.js'
import { runCheck } from './run-check.js'

export const exitCodes = { nothingMissing: 0, missing: 1, usage: 2, notConnected: 4, interrupted: 130 } as const

type Flags = {
  readonly revision?: string[]
  readonly only?: string[]
  readonly tool?: Record<string, JsonObject>
  readonly slow?: Record<string, JsonObject>
  readonly header?: Record<string, string>
  readonly allowCalls?: boolean
  readonly flood?: number
  readonly timeout: number
  readonly total: number
  readonly format: Format
  readonly out?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly color: boolean
}

/** Output of a check: its report, and its progress meanwhile. */
export type CheckOutput = {
  readonly print: (text: string) => void
  /** Replaces the progress line; undefined clears it. Absent if no person watches. */
  readonly progress?: ((line: string | undefined) => void) | undefined
  readonly emphasis?: Emphasis
  readonly signal?: AbortSignal
}

export type OutputFlags = Pick<Flags, 'json' | 'quiet' | 'color' | 'format'>

type CheckCommand = {
  /** The command as the user types it: one word or more. */
  readonly name: string
  readonly exit: (code: number) => void
  /** Opens the output that the flags ask for. */
  readonly open: (flags: OutputFlags) => CheckOutput
}

export function checkCommand({ name, exit, open }: CheckCommand): Command {
  return new Command(name)
    .description('Try what the specification demands of a server, and say what is enforced, missing or not tried')
    .argument('<target...>', 'the URL of an endpoint, or a program and its arguments (after --)')
    .option('--revision <version>', 'try this revision only; may be given several times', parseRevision)
    .option('--only <id>', 'try only demands whose id begins like this; may be given several times', parseCheckId)
    .option('--tool <name=args>', 'call this tool with these arguments, as JSON; may be given several times', parseToolArguments)
    .option('--slow <name=args>', 'a tool that takes its time: it is called twice, and called off once', parseToolArguments)
    .option('--header <name: value>', 'send this header with every request; may be given several times', parseHeader)
    .option('--allow-calls', 'call every tool, those that change something too')
    .option('--flood <calls>', 'send this many calls at once to see whether they are limited', parsePositiveInteger)
    .option('--timeout <ms>', 'how long one answer may take', parsePositiveInteger, 5_000)
    .option('--total <ms>', 'how long everything may take', parsePositiveInteger, 300_000)
    .addOption(new Option('--format <format>', 'how to write the report').choices(formats).default('human'))
    .option('--out <file>', 'write the report to this file')
    .option('--json', 'the same as --format json')
    .option('--quiet', 'print the report, and nothing meanwhile')
    .option('--no-color', 'no colours')
    .option('--debug', 'say where errors come from')
    .addHelpText('after', helpText(name))
    .exitOverride((error) => {
      exit(error.exitCode === 0 ? exitCodes.nothingMissing : exitCodes.usage)
      throw error
    })
    .action(async (words: string[], flags: Flags) => exit(await runCommand(words, flags, open(flags))))
}

async function runCommand(words: readonly string[], flags: Flags, output: CheckOutput): Promise<number> {
  const { progress } = output
  const started = Date.now()
  progress?.('Opening conversations')
  const report = await runCheck(parseTarget(words, flags.header ?? {}), {
    ...optionsOf(flags),
    ...(output.signal && { signal: output.signal }),
    onProgress: ({ tried, total }) => progress?.(`${tried} of ${total} tried, ${Math.round((Date.now() - started) / 1_000)} s`),
  }).finally(() => progress?.(undefined))
  const format = flags.json ? 'json' : flags.format
  if (flags.out === undefined) output.print(render(report, format, output.emphasis))
  else await writeFile(flags.out, render(report, format))
  return exitCodeOf(report)
}

/** The exit code for a report. */
export function exitCodeOf(report: CheckReport): number {
  if (!report.connected) return exitCodes.notConnected
  return countOutcomes(report.results, 'MUST').missing > 0 ? exitCodes.missing : exitCodes.nothingMissing
}

function optionsOf({ revision, only, tool, slow, allowCalls, flood, timeout, total }: Flags): CheckOptions {
  const [slowest] = Object.entries(slow ?? {})
  return {
    timeoutMs: timeout,
    totalMs: total,
    ...(revision && { revisions: revision }),
    ...(only && { only }),
    ...(tool && { tools: tool }),
    ...(slowest && { slow: { name: slowest[0], args: slowest[1] } }),
    ...(allowCalls && { allowCalls }),
    ...(flood !== undefined && { flood }),
  }
}

function parseRevision(version: string, before: string[] = []): string[] {
  if (findRevision(version)) return [...before, version]
  throw new InvalidArgumentError(`There are: ${allRevisions.map((revision) => revision.version).join(', ')}.`)
}

function parseCheckId(id: string, before: string[] = []): string[] {
  if (allChecks.some((row) => row.id.startsWith(id))) return [...before, id]
  throw new InvalidArgumentError('No demand begins like this; --format json lists them all.')
}

function parseToolArguments(text: string, before: Record<string, JsonObject> = {}): Record<string, JsonObject> {
  const at = text.indexOf('=')
  const args = at > 0 ? parsedJson(text.slice(at + 1)) : {}
  if (!isObject(args)) throw new InvalidArgumentError('Write name={"argument":"value"}.')
  return { ...before, [at > 0 ? text.slice(0, at) : text]: args }
}

function parseHeader(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*[:=]\s*(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write "Name: value".')
  return { ...before, [name.toLowerCase()]: value }
}

function parsePositiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a whole number above 0.')
}

const helpText = (name: string): string => `
By default only tools that claim to read only are called, and those given by --tool, with just these arguments.

Examples:
  ${name} https://shop.example/mcp --header "Authorization: Bearer $TOKEN"
  ${name} --only http --format sarif --out check.sarif http://127.0.0.1:8080/mcp
  ${name} --tool 'search={"query":"lamp"}' -- node server.js --stdio

ADVICE is what no page demands and careful servers do.

Exit codes:
  0  nothing that MUST be is missing
  1  something that MUST be is missing
  2  the command line is wrong, or the report cannot be written
  4  no conversation could be opened
`

/** Parses the target: a URL, or a program with its arguments. */
function parseTarget(words: readonly string[], headers: Readonly<Record<string, string>>): CheckTarget {
  const [first = '', ...args] = words
  if (/^https?:\/\//i.test(first)) return { url: first, headers }
  return { command: first, args }
}
