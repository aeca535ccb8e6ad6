/** A server-sent event. JSON.stringify writes no line breaks, so the data is one line. */
export const serverSentEvent = ({ id, event, data }: { id?: string; event: string; data: unknown }): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
