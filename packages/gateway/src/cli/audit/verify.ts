import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { redactedUrl } from '../../config/describe-config.js'
import { fileErrorReason } from '../../config/documents/read-document.js'
import { configPlaces } from '../../config/index.js'
import type { SignedHead } from '../../store/audit/signed-head.js'
import { apiClientOf } from '../api/api-client.js'
import { type CommandInput, exitCodes, optionText, type RunCommand, usageProblem } from '../command.js'
import { numberIn, objectIn, stringIn } from '../json-members.js'
import { countOf } from '../output/count.js'
import { openExistingLog } from '../target/gateway-or-local.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { checkAtGateway, checkExport, firstFault, readWitness, type WitnessContent } from './check-witness.js'

export const run: RunCommand = async (input, terminal) => {
  const head = headIn(optionText(input, 'head'))
  const file = optionText(input, 'file')
  const witness = optionText(input, 'witness')
  const logs = ['file', 'dataDir', 'gateway'].filter((name) => optionText(input, name) !== undefined)
  if (logs.length > 1) throw usageProblem('--file, --data-dir and --gateway each name a log. Choose one')
  if (witness !== undefined && file === '-')
    throw usageProblem('--witness reads the log twice and cannot use stdin. Name a file with --file')
  const verdict = file === undefined ? await ofLog(input, head, witness) : await ofFile(file, head, { witness, input })
  if (terminal.json) terminal.printJson(verdict)
  else showVerdict(verdict, file, terminal)
  return verdict.ok === true ? exitCodes.ok : exitCodes.failed
}

type Head = { readonly sequence: number; readonly hash: string }

function headIn(text: string | undefined): Head | undefined {
  if (text === undefined) return undefined
  const { 1: sequence, 2: hash } = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (sequence === undefined || hash === undefined)
    throw usageProblem('--head must be sequence:hash, with a hash of 64 hexadecimal digits')
  return { sequence: Number(sequence), hash }
}

/** The log of a running gateway, or in a data directory without one. */
type StoredLog = AsyncDisposable & {
  /** The data directory or the database, if it is not the log of a gateway. */
  readonly place?: string
  verify(): Promise<JsonObject>
  /** Null if retention has dropped the record. */
  hashAt(sequence: number): Promise<string | null | undefined>
  checkWitnessed(heads: readonly SignedHead[]): Promise<JsonObject>
}

function logOfGateway(input: CommandInput): StoredLog {
  const api = apiClientOf(input)
  return {
    verify: () => api.request('/audit/verify', { isSlow: true }),
    async hashAt(sequence) {
      const { hash } = await api.request(`/audit/heads/${sequence}`)
      return typeof hash === 'string' || hash === null ? hash : undefined
    },
    checkWitnessed: (heads) => checkAtGateway(api, heads),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

async function logIn(dataDir: string, { env, cwd }: CommandInput): Promise<StoredLog> {
  const places = await configPlaces({ env, cwd, flags: { dataDir } })
  // An empty database is of a gateway whose first start has failed.
  if (places.store === undefined && !statSync(join(places.dataDir, 'toolwire.db'), { throwIfNoEntry: false })?.size)
    throw usageProblem(`There is no log in ${places.dataDir}. Name the data directory of a gateway with --data-dir`)
  const log = await openExistingLog(places, env)
  return {
    place: places.store === undefined ? places.dataDir : redactedUrl(places.store),
    verify: async () => plain(await log.verify()),
    hashAt: log.headHash,
    checkWitnessed: async (heads) => plain(await log.checkWitnessed(heads)),
    [Symbol.asyncDispose]: async () => log.close(),
  }
}

/** As the gateway sends it: without undefined members. */
const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value))

async function ofLog(input: CommandInput, head: Head | undefined, witness: string | undefined): Promise<JsonObject> {
  const witnessed = witness === undefined ? undefined : await readWitness(witness, input)
  const dataDir = optionText(input, 'dataDir')
  await using log = dataDir === undefined ? logOfGateway(input) : await logIn(dataDir, input)
  const checked = await checkedHead(await log.verify(), head, log)
  const verdict = witnessed ? firstFault(checked, await checkedWitness(witnessed, log.checkWitnessed)) : checked
  return log.place === undefined ? verdict : { ...verdict, log: log.place }
}

async function checkedHead(verdict: JsonObject, head: Head | undefined, log: StoredLog): Promise<JsonObject> {
  if ((verdict.ok !== true && verdict.empty !== true) || head === undefined) return verdict
  const { sequence, hash } = head
  if (sequence > (numberIn(objectIn(verdict, 'head'), 'sequence') ?? 0))
    return { ok: false, of: 'head', sequence, why: `The log ends before head ${sequence}, so records were removed` }
  const found = await log.hashAt(sequence)
  if (found === hash) return verdict
  if (found === null) return plain((await import('../../store/audit/verify-export.js')).droppedHead(head))
  return { ok: false, of: 'head', sequence, why: 'It has another hash than the given one, so the log was rewritten' }
}

type Exported = { readonly witness: string | undefined; readonly input: CommandInput }

async function ofFile(file: string, head: Head | undefined, { witness, input }: Exported): Promise<JsonObject> {
  const { verifyExport } = await import('../../store/audit/verify-export.js')
  const { machine } = await import('toolwire/relay')
  const path = resolve(input.cwd, file)
  const lines = file === '-' ? process.stdin : (await machine.openRegular(path).catch(unreadable(file))).createReadStream()
  const verdict = await verifyExport(lines, { head })
  return witness === undefined
    ? plain(verdict)
    : firstFault(
        plain(verdict),
        await checkedWitness(await readWitness(witness, input), (heads) => checkExport(path, heads, verdict)),
      )
}

const checkedWitness = async (
  { heads, incomplete }: WitnessContent,
  check: (heads: readonly SignedHead[]) => Promise<object>,
): Promise<JsonObject> => plain({ ...(await check(heads)), ...(incomplete > 0 && { incomplete }) })

function unreadable(file: string): (thrown: unknown) => never {
  return (thrown) => {
    throw usageProblem(`The file ${visibleTextLine(file)} cannot be read: ${fileErrorReason(thrown)}`)
  }
}

function showVerdict(verdict: JsonObject, file: string | undefined, { print, paint }: Terminal): void {
  const place = stringIn(verdict, 'log')
  if (place !== undefined) print(`Verified: ${visibleTextLine(place)}`)
  if (verdict.ok === true) print(`${paint.green('The log is intact')}: ${extentOf(verdict)}`)
  else if (verdict.empty === true) print(`${paint.yellow('Nothing was verified')}: ${stringIn(verdict, 'why')}`)
  else if (verdict.dropped === true) print(`${paint.yellow('The head was not checked')}: ${stringIn(verdict, 'why')}`)
  else print(`${paint.red('The log was altered')}: ${faultOf(verdict, file)}`)
}

function extentOf(verdict: JsonObject): string {
  const { sequence, hash } = objectIn(verdict, 'head')
  const end = hash === undefined ? '' : `\nHead, to keep elsewhere: ${sequence}:${hash}`
  const { sequence: last, key } = objectIn(verdict, 'from')
  const beginning =
    key === undefined
      ? ''
      : `\nBegins after head ${last}, says the gateway with the key ${key}; earlier records were ${earlierRecords}`
  const signer = stringIn(verdict, 'key')
  const signed = signer === undefined ? '' : `\nSigned by the gateways with the key ${signer}`
  const unsigned = numberIn(verdict, 'unsigned') ?? 0
  const rest =
    unsigned === 0
      ? ''
      : `\n${unsigned} of them are not covered by a signed head yet. A gateway signs them within seconds, or when it starts`
  return `${numberIn(verdict, 'entries') ?? 0} records${witnessedOf(objectIn(verdict, 'witnessed'))}${beginning}${signed}${rest}${end}`
}

const earlierRecords = 'removed by retention, or moved to audit-until-N.ndjson by a copy from PostgreSQL'

function witnessedOf(witnessed: JsonObject): string {
  const [heads, dropped] = [numberIn(witnessed, 'heads'), numberIn(witnessed, 'dropped') ?? 0]
  const incomplete = numberIn(witnessed, 'incomplete') ?? 0
  if (heads === undefined) return ''
  const old = dropped === 0 ? '' : `; ${dropped} more cover records that were ${earlierRecords}`
  const skipped =
    incomplete === 0
      ? ''
      : `\nSkipped ${countOf(incomplete, 'incomplete line')} of the witness: the heads that were not written whole prove nothing`
  return `, with ${heads - dropped} witnessed heads${old}${skipped}`
}

function faultOf(verdict: JsonObject, file: string | undefined): string {
  // With a shared store, heads and the sequences of checkpoints count checkpoints.
  const of = stringIn(verdict, 'of') ?? (verdict.checkpoint === undefined ? 'record' : 'checkpoint')
  const record = `${of} ${verdict.sequence}`
  const place = file === undefined || verdict.line === undefined ? record : `line ${verdict.line}, ${record}`
  return `${place}: ${visibleTextLine(stringIn(verdict, 'why') ?? '')}`
}
