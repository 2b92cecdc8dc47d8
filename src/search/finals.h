#pragma once
// The end of a campaign: the fastest candidate is judged in full; if it falls, the next best is; the baseline, which is
// the default schedule of the winner's sketch, is judged just as hard, or no speed-up is quoted.

#include "search/campaign.h"

namespace hipvault::search {

inline constexpr const char* kBaselineAgent = "default_schedule";

Status run_finals(const Laboratory& lab, corpus::Vault& vault, const CampaignOptions& options, CampaignResult& result);

}  // namespace hipvault::search
