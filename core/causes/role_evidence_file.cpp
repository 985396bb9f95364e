#include "core/causes/role_evidence_file.h"

#include <fmt/format.h>

#include "core/io/json_text.h"

namespace headscope {
namespace {

using EvidenceObject = nlohmann::ordered_json;

EvidenceObject NamesOf(const std::vector<HeadIndex>& heads) {
  EvidenceObject names = EvidenceObject::array();
  for (const HeadIndex head : heads) {
    names.push_back(HeadName(head));
  }
  return names;
}

std::string CellOf(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "";
}

}  // namespace

std::string EvidenceJson(const RoleEvidence& evidence, const EvidenceAbout& about) {
  EvidenceObject json;
  json["model"] = about.model;
  json["input"] = about.input;
  json["pairs"] = about.pairs;
  json["receivers"] = NamesOf(evidence.receivers);
  json["other_receivers"] = NamesOf(evidence.other_receivers);
  json["why_not"] = EvidenceObject::object();
  for (const auto& [kind, why] : evidence.why_not) {
    json["why_not"][std::string(EvidenceName(kind))] = why;
  }
  json["evidence"] = EvidenceObject::array();
  for (const Evidence& one : evidence.all) {
    json["evidence"].push_back({{"head", HeadName(one.head)},
                                {"role", EvidenceName(one.kind)},
                                {"score", one.score},
                                {"control", OrNull(one.control)},
                                {"error", OrNull(one.error)},
                                {"chance", one.chance},
                                {"cases", one.cases}});
  }
  return JsonText(json, 1) + "\n";
}

std::string EvidenceCsv(const RoleEvidence& evidence) {
  std::string csv = "head,role,score,control,error,chance,cases\n";
  for (const Evidence& one : evidence.all) {
    csv += fmt::format("{},{},{},{},{},{},{}\n",
                       HeadName(one.head),
                       EvidenceName(one.kind),
                       one.score,
                       CellOf(one.control),
                       CellOf(one.error),
                       one.chance,
                       one.cases);
  }
  return csv;
}

}  // namespace headscope
