// A small database for pages about other topics.
export const db = {
  async find(query: string, options: { limit?: number; signal?: AbortSignal } = {}): Promise<string[]> {
    options.signal?.throwIfAborted()
    return ['Blue mug', 'Green mug', 'Shirt'].filter((name) => name.toLowerCase().includes(query)).slice(0, options.limit)
  },
}
