import { clipText, describeValue, type Issue } from '../issue.js'
import type { ValidationLimits } from '../limits.js'
import { toPointer } from '../pointer.js'
import type { EvaluatedMembers } from './evaluated-members.js'
import type { DynamicScope } from './schema-resource.js'

/** Returns whether a value satisfies a keyword or a schema, and notes issues in the run. */
export type Check = (value: unknown, run: ValidationRun) => boolean

/** An issue under construction: its path grows from the inside out, and the text that it expects is not clipped yet. */
export type IssueDraft = { readonly issue: Omit<Issue, 'path'>; readonly inwards: (string | number)[] }

/** Thrown to stop a validation at once, so that not even `not` can turn an exhausted budget into a pass. */
export class ValidationHalt {
  readonly issue: Issue
  constructor(keyword: string, message: string) {
    this.issue = { path: '', keyword, message }
  }
}

export type SharedSteps = { left: number }

const mostIssues = 10

/** The state of one validation: its budget and its issues. */
export class ValidationRun {
  drafts: IssueDraft[] = []
  /** Above zero while branches are tried, whose issues are not noted. */
  quiet = 0
  /** Evaluated members of the current value; tracked only if an unevaluated keyword may need them. */
  seen: EvaluatedMembers | undefined
  /** The schema resources entered so far; tracked only if a $dynamicRef may need them. */
  scope: DynamicScope | undefined
  // `private`, not `#`, because each validation step uses these fields, and plain fields are faster.
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

  /** Charges the steps spent to the shared budget. */
  settle(): void {
    if (this.shared) this.shared.left -= this.begun - Math.max(0, this.steps)
  }

  spend(steps: number): void {
    this.steps -= steps
    if (this.steps < 0) throw outOfBudget(this.begun)
  }

  /** Enters a subschema; leave it with `ascend`. */
  descend(): void {
    if (--this.steps < 0) throw outOfBudget(this.begun)
    if (++this.depth > this.limits.descent) throw tooDeep()
  }

  ascend(): void {
    this.depth--
  }

  /** True if further issues would not be reported. */
  get decided(): boolean {
    return this.quiet > 0 || this.drafts.length >= mostIssues
  }

  /** Notes that a value is not what a keyword expects. */
  fail(keyword: string, expected: string, value: unknown): false {
    if (this.decided) return false
    return this.note({
      keyword,
      // Written only for an issue that is reported: alternatives have many that are not.
      get message() {
        return `expected ${clipText(expected)}, got ${this.got}`
      },
      expected,
      get got() {
        return describeValue(value)
      },
    })
  }

  /** Notes an issue with its own message, at this value or at one of its members. */
  note(issue: Omit<Issue, 'path'>, key?: string | number): false {
    if (!this.decided) this.drafts.push({ issue, inwards: key === undefined ? [] : [key] })
    return false
  }

  /** Checks a member of the value and adds its key to the paths of its issues. */
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

  /** Runs a check and returns its issues instead of noting them. */
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
    return this.drafts.map(({ issue, inwards }) => {
      const expected = issue.expected === undefined ? {} : { expected: clipText(issue.expected) }
      return { path: toPointer(inwards.toReversed()), ...issue, ...expected }
    })
  }
}

const outOfBudget = (steps: number): ValidationHalt =>
  new ValidationHalt('budget', `validation stopped after ${steps} steps; send a smaller value or simplify the schema`)

export const tooDeep = (): ValidationHalt =>
  new ValidationHalt('too-deep', 'validation stopped because the value nests too deeply; send a flatter value')
