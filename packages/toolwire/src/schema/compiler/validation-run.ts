import { clipText, describeValue, type Issue } from '../issue.js'
import type { ValidationLimits } from '../limits.js'
import { toPointer } from '../pointer.js'
import type { EvaluatedMembers } from './evaluated-members.js'
import type { DynamicScope } from './schema-resource.js'

/** Does the value satisfy one keyword, or one schema? Where not, the run has noted why. */
export type Check = (value: unknown, run: ValidationRun) => boolean

/** An issue under construction: its path grows from the inside out, and only once there is an issue. */
export type IssueDraft = { readonly issue: Omit<Issue, 'path'>; readonly inwards: (string | number)[] }

/** Thrown to leave a validation at once: nothing may turn a refused budget into a pass, not even `not`. */
export class ValidationHalt {
  readonly issue: Issue
  constructor(keyword: string, message: string) {
    this.issue = { path: '', keyword, message }
  }
}

/** Steps that several validations have together. */
export type SharedSteps = { left: number }

const mostIssues = 10

/** The state of one validation: its budget, and what it found. */
export class ValidationRun {
  drafts: IssueDraft[] = []
  /** Above zero, only the answer matters: a branch is being tried. */
  quiet = 0
  /** What has been evaluated at this place; kept only where an unevaluated keyword may ask. */
  seen: EvaluatedMembers | undefined
  /** The schema resources entered so far; kept only where a $dynamicRef may ask. */
  scope: DynamicScope | undefined
  // `private`, not `#`: each step of a validation touches these, and engines reach plain fields sooner.
  private steps = 0
  private depth = 0
  private readonly limits: ValidationLimits
  private readonly shared: SharedSteps | undefined
  private begun = 0

  constructor(limits: ValidationLimits, shared?: SharedSteps) {
    this.limits = limits
    this.shared = shared
  }

  reset(): void {
    if (this.drafts.length > 0) this.drafts = []
    this.quiet = 0
    this.seen = undefined
    this.scope = undefined
    this.begun = this.shared ? Math.min(this.limits.steps, this.shared.left) : this.limits.steps
    this.steps = this.begun
    this.depth = 0
  }

  /** Takes what was spent from what several validations have together. */
  settle(): void {
    if (this.shared) this.shared.left -= this.begun - Math.max(0, this.steps)
  }

  /** Pays for work done. */
  spend(steps: number): void {
    this.steps -= steps
    if (this.steps < 0) throw outOfBudget(this.begun)
  }

  /** Goes one schema deeper; every descent is left again with `ascend`, or by a halt. */
  descend(): void {
    if (--this.steps < 0) throw outOfBudget(this.begun)
    if (++this.depth > this.limits.descent) throw tooDeep()
  }

  ascend(): void {
    this.depth--
  }

  /** True when further issues would not be told anyway. */
  get decided(): boolean {
    return this.quiet > 0 || this.drafts.length >= mostIssues
  }

  /** Notes that a value is not what a keyword expects. */
  fail(keyword: string, expected: string, value: unknown): false {
    if (this.decided) return false
    const got = describeValue(value)
    const asked = clipText(expected)
    return this.note({ keyword, message: `expected ${asked}, got ${got}`, expected: asked, got })
  }

  /** Notes an issue in other words, at this value or at one of its members. */
  note(issue: Omit<Issue, 'path'>, key?: string | number): false {
    if (!this.decided) this.drafts.push({ issue, inwards: key === undefined ? [] : [key] })
    return false
  }

  /** Checks a member of the value; its issues learn where they are. */
  member(check: Check, value: unknown, key: string | number): boolean {
    const before = this.drafts.length
    if (check(value, this)) return true
    for (let index = before; index < this.drafts.length; index++) this.drafts[index]!.inwards.push(key)
    return false
  }

  /** Tries a check without noting issues. */
  try(check: Check, value: unknown): boolean {
    this.quiet++
    const holds = check(value, this)
    this.quiet--
    return holds
  }

  /** Collects the issues of a check apart from the others. */
  explain(check: Check, value: unknown): IssueDraft[] {
    const outer = this.drafts
    this.drafts = []
    check(value, this)
    const found = this.drafts
    this.drafts = outer
    return found
  }

  adopt(drafts: readonly IssueDraft[]): false {
    for (const draft of drafts) if (!this.decided) this.drafts.push(draft)
    return false
  }

  issues(): Issue[] {
    return this.drafts.map(({ issue, inwards }) => ({ path: toPointer(inwards.toReversed()), ...issue }))
  }
}

const outOfBudget = (steps: number): ValidationHalt =>
  new ValidationHalt('budget', `validation stopped after ${steps} steps; send a smaller value or simplify the schema`)

export const tooDeep = (): ValidationHalt =>
  new ValidationHalt('too-deep', 'validation stopped because the value nests too deeply; send a flatter value')
