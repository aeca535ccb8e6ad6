/** A server-sent event. JSON has no line breaks of its own, so it is one line. */
export const serverSentEvent = ({ id, event, data }: { id?: string; event: string; data: unknown }): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
