/** As it is kept where it is searched: PostgreSQL takes no NUL in a text, and no half of a character. */
export const searchText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()
