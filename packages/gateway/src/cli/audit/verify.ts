import { resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { apiClientOf } from '../api/api-client.js'
import { type CommandInput, exitCodes, optionText, type RunCommand, usageProblem } from '../command.js'
import { numberIn, objectIn, stringIn } from '../json-members.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { checkAtGateway, checkExport, firstFault, headsOfWitness } from './check-witness.js'

export const run: RunCommand = async (input, terminal) => {
  const head = headIn(optionText(input, 'head'))
  const file = optionText(input, 'file')
  const witness = optionText(input, 'witness')
  if (witness !== undefined && file === '-')
    throw usageProblem('--witness reads the log twice and cannot use stdin. Name a file with --file')
  const log = file === undefined ? await ofGateway(input, head) : await ofFile(file, input.cwd, head)
  const verdict = witness === undefined ? log : firstFault(log, await ofWitness(witness, file, input))
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

async function ofGateway(input: CommandInput, head: Head | undefined): Promise<JsonObject> {
  const api = apiClientOf(input)
  const verdict = await api.request('/audit/verify')
  if (verdict.ok !== true || head === undefined) return verdict
  const { sequence, hash } = head
  if (sequence > (numberIn(objectIn(verdict, 'head'), 'sequence') ?? 0))
    return { ok: false, sequence, why: `The log ends before record ${sequence}, so records were removed` }
  const kept = await api.request(`/audit/heads/${sequence}`)
  if (kept.hash === hash) return verdict
  return { ok: false, sequence, why: `Record ${sequence} has another hash, so the log was rewritten` }
}

async function ofFile(file: string, cwd: string, head: Head | undefined): Promise<JsonObject> {
  const { verifyExport } = await import('../../store/audit/verify-export.js')
  const { machine } = await import('toolwire/relay')
  const lines = file === '-' ? process.stdin : (await machine.openRegular(resolve(cwd, file))).createReadStream()
  const verdict = await verifyExport(lines, { head })
  return JSON.parse(JSON.stringify(verdict)) // drops undefined members
}

async function ofWitness(witness: string, file: string | undefined, input: CommandInput): Promise<JsonObject> {
  const heads = await headsOfWitness(witness, input)
  return file === undefined ? checkAtGateway(apiClientOf(input), heads) : checkExport(resolve(input.cwd, file), heads)
}

function showVerdict(verdict: JsonObject, file: string | undefined, { print, paint }: Terminal): void {
  if (verdict.ok === true) print(`${paint.green('The log is intact')}: ${extentOf(verdict)}`)
  else print(`${paint.red('The log was altered')}: ${faultOf(verdict, file)}`)
}

function extentOf(verdict: JsonObject): string {
  const { sequence, hash } = objectIn(verdict, 'head')
  const end = hash === undefined ? '' : `\nHead, to keep elsewhere: ${sequence}:${hash}`
  return `${numberIn(verdict, 'entries') ?? 0} records${witnessedOf(objectIn(verdict, 'witnessed'))}${end}`
}

function witnessedOf(witnessed: JsonObject): string {
  const [heads, dropped] = [numberIn(witnessed, 'heads'), numberIn(witnessed, 'dropped') ?? 0]
  if (heads === undefined) return ''
  const old = dropped === 0 ? '' : `; ${dropped} more cover records that retention has removed`
  return `, with ${heads - dropped} witnessed heads${old}`
}

function faultOf(verdict: JsonObject, file: string | undefined): string {
  const record = `record ${verdict.sequence}`
  const place = file === undefined || verdict.line === undefined ? record : `line ${verdict.line}, ${record}`
  return `${place}: ${visibleTextLine(stringIn(verdict, 'why') ?? '')}`
}
