import { isObject } from '../../json.js'
import type { Check, ValidationRun } from './validation-run.js'

/**
 * A member of an object; undefined when absent. A member that is `undefined` counts as absent, as it is on the wire,
 * and what every object inherits is not a member.
 */
export const ownMember = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Reads one fixed member; names that every object inherits are the only ones that need the slow question. */
export const memberReader = (name: string): ((object: Record<string, unknown>) => unknown) =>
  name in Object.prototype ? (object) => ownMember(object, name) : (object) => object[name]

/** Checks the member of that name. */
export type MemberCheck = (value: Record<string, unknown>, name: string, run: ValidationRun) => boolean

/** Checks an object name by name, until further issues would not be told anyway. */
export function everyMember(check: MemberCheck): Check {
  return (value, run) => {
    if (!isObject(value)) return true
    let holds = true
    for (const name in value) {
      if (check(value, name, run)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
}
