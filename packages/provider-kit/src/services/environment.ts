/** `PORT_<NAME>`. */
export const portVariable = (port: string): string => `PORT_${port.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`

/** `$(NAME)` as in Kubernetes: of the service's own environment; `$$(NAME)` is the text itself, and so is an unknown one. */
export const expand = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replace(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g, (whole, name?: string) =>
    name === undefined ? '$' : (env[name] ?? whole),
  )
