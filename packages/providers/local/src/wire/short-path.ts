import { closeSync, openSync } from 'node:fs'

/** The path of a socket may have 107 characters, that of a directory many more: so it is named by way of the open directory. */
export async function withShortPath<T>(directory: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const opened = openSync(directory, 'r')
  try {
    return await use(`/proc/self/fd/${opened}/${name}`)
  } finally {
    closeSync(opened)
  }
}
