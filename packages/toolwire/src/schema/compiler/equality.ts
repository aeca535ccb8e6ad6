import { isObject } from '../../json.js'
import type { ValidationRun } from './validation-run.js'

/** Are two JSON values equal? The budget of the run limits the work. */
export function jsonEquals(left: unknown, right: unknown, run: ValidationRun): boolean {
  if (typeof left === 'string' && typeof right === 'string') return equalTexts(left, right, run)
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  run.descend()
  const same = Array.isArray(left) ? equalLists(left, right, run) : equalObjects(left, right, run)
  run.ascend()
  return same
}

function equalTexts(left: string, right: string, run: ValidationRun): boolean {
  if (left.length !== right.length) return false
  run.spend(left.length >> 6)
  return left === right
}

function equalLists(left: readonly unknown[], right: unknown, run: ValidationRun): boolean {
  if (!Array.isArray(right) || left.length !== right.length) return false
  run.spend(left.length)
  return left.every((item, index) => jsonEquals(item, right[index], run))
}

function equalObjects(left: object, right: object, run: ValidationRun): boolean {
  if (!isObject(left) || !isObject(right)) return false
  const keys = presentKeys(left)
  run.spend(keys.length)
  if (keys.length !== presentKeys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key], right[key], run))
}

/** Random seeds for each kind of value, so that senders cannot predict which values share a hash. */
type HashSeeds = { readonly text: number; readonly other: number; readonly list: number; readonly object: number }

let seeds: HashSeeds | undefined

/** Called with the first hash, because some runtimes have no randomness before a request. */
function hashSeeds(): HashSeeds {
  const [text = 0, other = 0, list = 0, object = 0] = crypto.getRandomValues(new Int32Array(4))
  return { text, other, list, object }
}

/** Hashes a JSON value; equal values have equal hashes. */
export function jsonHash(value: unknown, run: ValidationRun): number {
  seeds ??= hashSeeds()
  if (typeof value !== 'object' || value === null) {
    return textHash(String(value), typeof value === 'string' ? seeds.text : seeds.other, run)
  }
  run.descend()
  const hash = Array.isArray(value)
    ? value.reduce((hash: number, item) => mixed(hash, jsonHash(item, run)), seeds.list)
    : membersHash(value, seeds.object, run)
  run.ascend()
  return hash
}

/** The order of members does not matter. */
function membersHash(value: object, start: number, run: ValidationRun): number {
  if (!isObject(value)) return start
  const keys = presentKeys(value)
  run.spend((keys.length + 1) * 4)
  return keys.reduce((sum, key) => (sum + textHash(key, jsonHash(value[key], run), run)) | 0, start)
}

function textHash(text: string, start: number, run: ValidationRun): number {
  run.spend(text.length >> 5)
  let hash = start
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash ^ (hash >>> 15)
}

const prime = 16_777_619

function mixed(hash: number, other: number): number {
  const product = Math.imul(hash ^ other, prime)
  return product ^ (product >>> 15)
}

const presentKeys = (value: Record<string, unknown>): string[] => Object.keys(value).filter((key) => value[key] !== undefined)
