/** What we read of the Engine API's answers. */

export interface Version {
  readonly Version: string
  readonly ApiVersion: string
  readonly Arch: string
  readonly Components?: readonly { readonly Name: string }[]
}

export interface ContainerState {
  readonly Status: string
  readonly Running: boolean
  readonly Restarting: boolean
  readonly OOMKilled: boolean
  readonly ExitCode: number
  readonly Error?: string
  readonly StartedAt: string
  readonly FinishedAt: string
}

export interface Container {
  readonly Id: string
  readonly Name: string
  readonly Created: string
  readonly Image: string
  readonly RestartCount: number
  readonly State: ContainerState
  readonly Config: { readonly Labels: Readonly<Record<string, string>> | null; readonly Image: string }
  readonly HostConfig: {
    readonly RestartPolicy?: { readonly Name: string }
    readonly NanoCpus?: number
    /** In bytes; 0 where there is no limit. */
    readonly Memory?: number
  }
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string; readonly MacAddress: string }>> | null
    readonly Ports: Readonly<
      Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>
    > | null
  }
}

export interface ListedContainer {
  readonly Id: string
  readonly Names: readonly string[] | null
  readonly Image: string
  readonly Created: number
  readonly State: string
  readonly Labels: Readonly<Record<string, string>> | null
}

/** The same, as Podman's own API tells it. */
export interface PodmanListedContainer extends Omit<ListedContainer, 'Created'> {
  readonly Created: string
}

export interface Volume {
  readonly Name: string
  readonly Mountpoint: string
  readonly CreatedAt?: string
  readonly Labels: Readonly<Record<string, string>> | null
}

export interface Network {
  readonly Id: string
  readonly Created?: string
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>> | null
  readonly IPAM?: { readonly Config: readonly { readonly Subnet?: string }[] | null }
}

/** The same, as Podman's own API tells it. */
export interface PodmanNetwork {
  readonly id: string
  readonly created: string
  readonly name: string
  readonly labels?: Readonly<Record<string, string>> | null
  readonly subnets?: readonly { readonly subnet: string }[] | null
}

export interface Image {
  readonly Id: string
  readonly RepoTags: readonly string[] | null
  readonly RepoDigests?: readonly string[] | null
  readonly Size: number
  readonly Architecture?: string
  readonly Config: {
    readonly User?: string
    readonly Env?: readonly string[] | null
    readonly Entrypoint?: readonly string[] | null
    readonly Cmd?: readonly string[] | null
    readonly WorkingDir?: string
    readonly Labels?: Readonly<Record<string, string>> | null
  } | null
}

export interface ListedImage {
  readonly Id: string
  readonly RepoTags: readonly string[] | null
  readonly RepoDigests: readonly string[] | null
  readonly Size: number
  readonly Labels: Readonly<Record<string, string>> | null
}

export interface EngineEvent {
  readonly Type: string
  readonly Action: string
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> | null }
  readonly timeNano: number
}

export interface Stats {
  readonly read: string
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } }
  readonly memory_stats?: {
    readonly usage?: number
    readonly limit?: number
    readonly stats?: Readonly<Record<string, number>>
  }
  readonly blkio_stats?: {
    readonly io_service_bytes_recursive?: readonly { readonly op: string; readonly value: number }[] | null
  }
  readonly networks?: Readonly<Record<string, { readonly rx_bytes: number; readonly tx_bytes: number }>>
}
