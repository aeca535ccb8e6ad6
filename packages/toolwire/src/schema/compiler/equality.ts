import { isObject } from '../../json.js'
import type { ValidationRun } from './validation-run.js'

/** Are two JSON values equal? Ends by the budget of the run. */
export function jsonEquals(left: unknown, right: unknown, run: ValidationRun): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  run.descend()
  const same = Array.isArray(left) ? equalLists(left, right, run) : equalObjects(left, right, run)
  run.ascend()
  return same
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

/** A text that two JSON values share exactly when they are equal. */
export function jsonIdentity(value: unknown, run: ValidationRun): string {
  if (typeof value === 'string') {
    run.spend(value.length >> 6)
    return JSON.stringify(value)
  }
  if (typeof value !== 'object' || value === null) return String(value)
  run.descend()
  const text = Array.isArray(value) ? `[${value.map((item) => jsonIdentity(item, run)).join()}]` : objectIdentity(value, run)
  run.ascend()
  return text
}

function objectIdentity(value: object, run: ValidationRun): string {
  if (!isObject(value)) return '{}'
  const keys = presentKeys(value).sort()
  run.spend((keys.length + 1) * 4)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${jsonIdentity(value[key], run)}`).join()}}`
}

const presentKeys = (value: Record<string, unknown>): string[] => Object.keys(value).filter((key) => value[key] !== undefined)
