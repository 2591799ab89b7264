"""The rules of the REFI-QDA project schema for what the export writes, in its own order.

Written from the standard, version 1.5; elements that the export never writes are left out, so a
project that passes here passes there as well.
"""

from __future__ import annotations

PROJECT = b"""<?xml version="1.0" encoding="utf-8"?>
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns="urn:QDA-XML:project:1.0"
    targetNamespace="urn:QDA-XML:project:1.0" elementFormDefault="qualified">
  <xsd:simpleType name="GUIDType">
    <xsd:restriction base="xsd:token">
      <xsd:pattern value="[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"/>
    </xsd:restriction>
  </xsd:simpleType>
  <xsd:attributeGroup name="Made">
    <xsd:attribute name="creatingUser" type="GUIDType"/>
    <xsd:attribute name="creationDateTime" type="xsd:dateTime"/>
  </xsd:attributeGroup>
  <xsd:complexType name="Ref"><xsd:attribute name="targetGUID" type="GUIDType" use="required"/>
  </xsd:complexType>
  <xsd:complexType name="Code">
    <xsd:sequence>
      <xsd:element name="Description" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Code" type="Code" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence>
    <xsd:attribute name="guid" type="GUIDType" use="required"/>
    <xsd:attribute name="name" type="xsd:string" use="required"/>
    <xsd:attribute name="isCodable" type="xsd:boolean" use="required"/>
  </xsd:complexType>
  <xsd:complexType name="Coding">
    <xsd:sequence><xsd:element name="CodeRef" type="Ref"/></xsd:sequence>
    <xsd:attribute name="guid" type="GUIDType" use="required"/>
    <xsd:attributeGroup ref="Made"/>
  </xsd:complexType>
  <xsd:complexType name="Selection">
    <xsd:sequence>
      <xsd:element name="Description" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Coding" type="Coding" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence>
    <xsd:attribute name="guid" type="GUIDType" use="required"/>
    <xsd:attribute name="name" type="xsd:string"/>
    <xsd:attribute name="startPosition" type="xsd:integer" use="required"/>
    <xsd:attribute name="endPosition" type="xsd:integer" use="required"/>
    <xsd:attributeGroup ref="Made"/>
  </xsd:complexType>
  <xsd:complexType name="TextSource">
    <xsd:sequence>
      <xsd:element name="Description" type="xsd:string" minOccurs="0"/>
      <xsd:element name="PlainTextSelection" type="Selection" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence>
    <xsd:attribute name="guid" type="GUIDType" use="required"/>
    <xsd:attribute name="name" type="xsd:string"/>
    <xsd:attribute name="plainTextPath" type="xsd:string"/>
    <xsd:attributeGroup ref="Made"/>
  </xsd:complexType>
  <xsd:element name="Project">
    <xsd:complexType>
      <xsd:sequence>
        <xsd:element name="Users" minOccurs="0"><xsd:complexType><xsd:sequence>
          <xsd:element name="User" maxOccurs="unbounded"><xsd:complexType>
            <xsd:attribute name="guid" type="GUIDType" use="required"/>
            <xsd:attribute name="name" type="xsd:string"/>
          </xsd:complexType></xsd:element>
        </xsd:sequence></xsd:complexType></xsd:element>
        <xsd:element name="CodeBook" minOccurs="0"><xsd:complexType><xsd:sequence>
          <xsd:element name="Codes"><xsd:complexType><xsd:sequence>
            <xsd:element name="Code" type="Code" maxOccurs="unbounded"/>
          </xsd:sequence></xsd:complexType></xsd:element>
        </xsd:sequence></xsd:complexType></xsd:element>
        <xsd:element name="Sources" minOccurs="0"><xsd:complexType><xsd:sequence>
          <xsd:element name="TextSource" type="TextSource" maxOccurs="unbounded"/>
        </xsd:sequence></xsd:complexType></xsd:element>
        <xsd:element name="Description" type="xsd:string" minOccurs="0"/>
      </xsd:sequence>
      <xsd:attribute name="name" type="xsd:string" use="required"/>
      <xsd:attribute name="origin" type="xsd:string"/>
      <xsd:attribute name="creatingUserGUID" type="GUIDType"/>
      <xsd:attribute name="creationDateTime" type="xsd:dateTime"/>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>
"""
