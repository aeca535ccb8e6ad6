/** Which members of one value have been evaluated by the schemas applied to it. spec: 2020-12 core, 11 */
export class EvaluatedMembers {
  readonly names = new Set<string>()
  readonly indexes = new Set<number>()
  everyName = false
  /** Every index below this one. */
  firstIndexes = 0

  /** How much there is to merge. */
  get size(): number {
    return this.names.size + this.indexes.size
  }

  hasName(name: string): boolean {
    return this.everyName || this.names.has(name)
  }

  hasIndex(index: number): boolean {
    return index < this.firstIndexes || this.indexes.has(index)
  }

  indexesBelow(count: number): void {
    this.firstIndexes = Math.max(this.firstIndexes, count)
  }

  /** Takes over what a schema that passed at the same place has evaluated. */
  merge(other: EvaluatedMembers): void {
    this.everyName ||= other.everyName
    this.indexesBelow(other.firstIndexes)
    for (const name of other.names) this.names.add(name)
    for (const index of other.indexes) this.indexes.add(index)
  }
}
