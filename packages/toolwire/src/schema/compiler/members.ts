import { isObject } from '../../json.js'
import type { Check, ValidationRun } from './validation-run.js'

/** An own member of an object. A member that is `undefined` counts as absent, because JSON leaves it out. */
export const ownMember = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Reads one fixed member. Only names that every object inherits need the slower test for own members. */
export const memberReader = (name: string): ((object: Record<string, unknown>) => unknown) =>
  name in Object.prototype ? (object) => ownMember(object, name) : (object) => object[name]

export type MemberCheck = (value: Record<string, unknown>, name: string, run: ValidationRun) => boolean

/** Checks an object member by member, until further issues would not be reported. */
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
