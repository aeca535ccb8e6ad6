/** Tools that only increase the number of tools; every server of the benchmark registers the same ones. */
export function fillerNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `filler_${index + 1}`)
}

export const fillerDescription = 'Looks something up in a catalog that does not exist, to make the list of tools a long one'

export const fillerSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for' },
    limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many hits to return' },
  },
  required: ['query'],
}

/** Number of filler tools, from the environment. */
export function fillerCount(): number {
  return Number(process.env.TOOLS ?? 0)
}
