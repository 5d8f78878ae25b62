/** Examples of the OpenAPI document, by operation: such as a daemon on the local chains gives; the CIDs and checksums are of real bytes. */

const WALLET = "0x1fb6e02f5224C343346DB6C494C0336ccE0d5A21"
const ASSET_CID = "bafkreihl35vfvhw4ehgdu3zrtzg3h5s4xvgxvzrmzusi63mazbmseppozq"
const ASSET_SHA256 = "ebdf6a5a9edc21cc3a6f319e4db3f65cbd4d7ae62ccd248f6d80c859223deecc"
const TREE_CID = "baguqeeramuov7vitdybev34hs7uopheqk4xojhreckzhdugd5rgppwq6rhua"
const TX_HASH = "0x6fa23fe35d89aca4fbd4cc666435677524bb3ead48a1e0299fed2bf12f027fd9"

/** Bodies of requests. */
export const REQUESTS: Readonly<Record<string, unknown>> = {
  balanceMainnet: { wallet: WALLET },
  balanceAllNetworks: { wallet: WALLET },
  commit: {
    encodingFormat: "text/plain",
    assetCid: ASSET_CID,
    assetTimestampCreated: 1_763_791_980,
    assetCreator: "Ada Lovelace",
    assetSha256: ASSET_SHA256,
    licenseName: "CC-BY-4.0",
    headline: "Field notes",
    abstract: "Notes of the first day.",
    commitMessage: "First commit"
  }
}

/** Bodies of good answers. */
export const ANSWERS: Readonly<Record<string, unknown>> = {
  balanceMainnet: { balance: "99.9000" },
  balanceAllNetworks: {
    wallet: WALLET,
    balance: "199.9000",
    networks: [
      { name: "local mainnet", chainId: 7_053_001, balance: "99.9000" },
      { name: "local testnet", chainId: 7_053_002, balance: "100.0000" }
    ]
  },
  commit: {
    txHash: TX_HASH,
    assetCid: ASSET_CID,
    assetTreeCid: TREE_CID,
    explorer: `http://127.0.0.1:7053/explorer/mainnet/tx/${TX_HASH}`
  },
  account: {
    id: "acc_e30e24b8fd690e1a81d3",
    name: "studio",
    wallet: WALLET,
    credits: "4.5496665",
    balance: "0.0000",
    storage: { used: 466_706, limit: 107_374_182_400, token: { used: 466_706, limit: null } }
  },
  health: { status: "ok" },
  version: { name: "treemark", version: "0.1.0" }
}
