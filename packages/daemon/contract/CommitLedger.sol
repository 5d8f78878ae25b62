// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The commit ledger of the `local` chains: ERC-7053 commits, kept as events only.
/// @notice Nothing is stored, so a commit costs about 40 000 gas; history is read from the logs.
contract CommitLedger {
    /// @notice `recorder` committed `commitData` (a JSON text) to the asset `assetCid` (indexed as its keccak-256 hash).
    event Commit(address indexed recorder, string indexed assetCid, string commitData);

    /// @notice Records one commit of the sender.
    /// @param assetCid content identifier of the asset
    /// @param commitData the commit record
    /// @return number of the block that holds the commit
    function commit(string calldata assetCid, string calldata commitData) external returns (uint256) {
        emit Commit(msg.sender, assetCid, commitData);
        return block.number;
    }
}
