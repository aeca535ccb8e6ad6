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

export const exitCodes = { nothingMissing: 0, missing: 1, usage: 2, notChecked: 4, interrupted: 130, closedPipe: 141 } as const

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
  /** The variables that headers may refer to. */
  readonly env?: NodeJS.ProcessEnv
  readonly exit: (code: number) => void
  /** Opens the output that the flags ask for. */
  readonly open: (flags: OutputFlags) => CheckOutput
}

export function checkCommand({ name, env = process.env, exit, open }: CheckCommand): Command {
  return new Command(name)
    .description('Test a server against the demands of the specification, and report each as enforced, missing or not tried')
    .argument('<target...>', 'the URL of an endpoint, or a program and its arguments (after --)')
    .option('--revision <version>', 'check this revision only; may be given several times', parseRevision)
    .option('--only <id>', 'run only checks whose id begins with this; may be given several times', parseCheckId)
    .option('--tool <name=args>', 'call this tool with these arguments, as JSON; may be given several times', parseToolArguments)
    .option('--slow <name=args>', 'a slow tool: it is called to its end, then called again and cancelled', parseSlowTool)
    .option('--header <name: value>', 'send this header with every request; may be given several times', parseHeader)
    .option('--allow-calls', 'call every tool, including those that change something')
    .option('--flood <calls>', 'send this many calls at once, to look for a rate limit', parsePositiveInteger)
    .option('--timeout <ms>', 'timeout of one response', parsePositiveInteger, 5_000)
    .option('--total <ms>', 'timeout of the whole check', parsePositiveInteger, 300_000)
    .addOption(new Option('--format <format>', 'the format of the report').choices(formats).default('human'))
    .option('--out <file>', 'write the report to this file')
    .option('--json', 'the same as --format json')
    .option('--quiet', 'show no progress')
    .option('--no-color', 'no colours')
    .option('--debug', 'print the stack trace of an error')
    .addHelpText('after', helpText(name))
    .exitOverride((error) => {
      exit(error.exitCode === 0 ? exitCodes.nothingMissing : exitCodes.usage)
      throw error
    })
    .action(async (words: string[], flags: Flags) =>
      exit(await runCommand(words, { ...flags, header: filledHeaders(flags, env) }, open(flags))),
    )
}

const filledHeaders = ({ header = {} }: Flags, env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(header).map(([name, value]) => [name, withVariables(value, env)]))

async function runCommand(words: readonly string[], flags: Flags, output: CheckOutput): Promise<number> {
  const { progress } = output
  const started = performance.now()
  const target = parseTarget(words, flags.header ?? {})
  const { out } = flags
  // A path that cannot be written is noticed before the check, which takes a while.
  if (out !== undefined) await writeReport(out, '', 'a')
  progress?.('Connecting')
  const report = await runCheck(target, {
    ...optionsOf(flags),
    ...(output.signal && { signal: output.signal }),
    onProgress: ({ tried, total }) =>
      progress?.(`${tried} of ${total} tried, ${Math.round((performance.now() - started) / 1_000)} s`),
  }).finally(() => progress?.(undefined))
  const format = flags.json ? 'json' : flags.format
  if (out === undefined) output.print(render(report, format, output.emphasis))
  else
    await writeReport(out, render(report, format)).catch((thrown: unknown) => {
      output.print(render(report, format, output.emphasis))
      throw thrown
    })
  return exitCodeOf(report)
}

/** The words of the command cannot be used as they are. Both programs exit with the code for usage then. */
export class CheckUsageError extends Error {
  override name = 'CheckUsageError'
}

function writeReport(path: string, text: string, flag: 'w' | 'a' = 'w'): Promise<void> {
  return writeFile(path, text, { flag }).catch((cause: unknown) => {
    throw new CheckUsageError(`The report cannot be written: ${cause instanceof Error ? cause.message : cause}. Check --out`, {
      cause,
    })
  })
}

/** The exit code for a report. */
export function exitCodeOf(report: CheckReport): number {
  if (countOutcomes(report.results, 'MUST').missing > 0) return exitCodes.missing
  return report.connected && report.trouble === undefined ? exitCodes.nothingMissing : exitCodes.notChecked
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
  throw new InvalidArgumentError(`Use one of: ${allRevisions.map((revision) => revision.version).join(', ')}.`)
}

function parseCheckId(id: string, before: string[] = []): string[] {
  if (allChecks.some((row) => row.id.startsWith(id))) return [...before, id]
  throw new InvalidArgumentError('No check id begins with this. List all ids with --format json.')
}

function parseToolArguments(text: string, before: Record<string, JsonObject> = {}): Record<string, JsonObject> {
  const at = text.indexOf('=')
  const args = at > 0 ? parsedJson(text.slice(at + 1)) : {}
  if (!isObject(args)) throw new InvalidArgumentError('Write name={"argument":"value"}.')
  return { ...before, [at > 0 ? text.slice(0, at) : text]: args }
}

function parseSlowTool(text: string, before?: Record<string, JsonObject>): Record<string, JsonObject> {
  if (before) throw new InvalidArgumentError('Name one slow tool only.')
  return parseToolArguments(text)
}

function parseHeader(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*[:=]\s*(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write "Name: value".')
  return { ...before, [name.toLowerCase()]: value }
}

/** Replaces `${NAME}` from the environment, so that a secret need not be among the words of the command. */
const withVariables = (text: string, env: NodeJS.ProcessEnv): string =>
  text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined) throw new CheckUsageError(`The variable ${name} is not set. Set it, or write the value in --header`)
    return value
  })

function parsePositiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a whole number above 0.')
}

const helpText = (name: string): string => `
By default, a check calls only tools that claim to be read-only, and tools named with --tool, with exactly the given arguments.

Examples:
  ${name} https://shop.example/mcp --header 'Authorization: Bearer \${TOKEN}'
  ${name} --only http --format sarif --out check.sarif http://127.0.0.1:8080/mcp
  ${name} --tool 'search={"query":"lamp"}' -- node server.js --stdio

ADVICE: no page requires it, but careful servers do it.

Exit codes:
  0  no MUST is missing; a SHOULD may be
  1  a MUST is missing
  2  the command line is wrong, or the report cannot be written
  4  no connection could be made, or a part of the check could not be carried out
`

/** Parses the target: a URL, or a program with its arguments. */
function parseTarget(words: readonly string[], headers: Readonly<Record<string, string>>): CheckTarget {
  const [first = '', ...args] = words
  const isUrl = /^https?:\/\//i.test(first)
  if (isUrl && args.length > 0) throw new CheckUsageError(`Only one server is checked at a time. Omit ${args.join(' ')}`)
  if (isUrl) return { url: first, headers }
  return { command: first, args }
}
